#include "framework/core/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "framework/core/errors.h"
#include "framework/core/number.h"
#include "framework/core/part.h"

namespace ordinal {
namespace {

bool within(double value, const Range& range) {
  if (range.zero_is_automatic && value == 0.0) return true;
  return (range.above_low ? value > range.low : value >= range.low) && value <= range.high;
}

std::string expected_number(const OptionSpec& spec) {
  const bool whole = spec.type == OptionType::integer;
  const Range& range = spec.range;
  std::string text = whole ? "a whole number" : "a number";
  if (range.above_low) {
    text += fmt::format(" above {}", range.low);
  } else if (range.high == std::numeric_limits<double>::infinity()) {
    text += fmt::format(" of at least {}", range.low);
  } else {
    text += fmt::format(" from {} to {}", range.low, range.high);
  }
  if (spec.automatic.empty()) return text;
  return fmt::format("{}, or {}", text, spec.automatic == "0" ? "0 for automatic" : spec.automatic);
}

std::string number_complaint(const OptionSpec& spec, const std::string& value) {
  const bool whole = spec.type == OptionType::integer;
  const auto number = parse_real(value);
  if (!number || (whole && !parse_integer(value))) {
    const bool word = spec.automatic == "auto";
    return fmt::format("got '{}', expected {}{}", value, whole ? "a whole number" : "a number",
                       word ? " or auto" : "");
  }
  return within(*number, spec.range) ? "" : fmt::format("got {}, expected {}", value, expected_number(spec));
}

std::string choice_complaint(const OptionSpec& spec, const std::string& value, const std::string& name) {
  if (std::ranges::find(spec.choices, name) != spec.choices.end()) return "";
  return fmt::format("got '{}'{}, expected {}{}", value, did_you_mean(name, spec.choices),
                     spec.choices.size() > 1 ? "one of " : "", joined(spec.choices));
}

std::string part_complaint(const OptionSpec& spec, const std::string& value) {
  try {
    return choice_complaint(spec, value, parse_part(value).name);
  } catch (const ConfigError& error) {
    return error.what();
  }
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Levenshtein's distance from a word to others without regard to case, a column of the matrix in a few operations on its bits (Hyyrö 2003,
// "A Bit-Vector Algorithm for Computing Levenshtein and Damerau Edit Distances"). A config may have thousands of unknown
// names, and each is compared with all keys. Only the first 64 bytes of the word count.
class Distance {
 public:
  explicit Distance(std::string_view word) : size_(std::min<std::size_t>(word.size(), 64)) {
    for (std::size_t i = 0; i < size_; ++i) rows_[static_cast<unsigned char>(lower(word[i]))] |= bit(i);
  }

  std::size_t operator()(std::string_view other) const {
    if (size_ == 0) return other.size();
    std::size_t distance = size_;
    std::uint64_t one_more = ~std::uint64_t{0};  // rows whose cell is one more than the cell above
    std::uint64_t one_less = 0;
    for (const char c : other) {
      const std::uint64_t equal = rows_[static_cast<unsigned char>(lower(c))];
      const std::uint64_t diagonal = (((equal & one_more) + one_more) ^ one_more) | equal | one_less;
      const std::uint64_t rises = one_less | ~(diagonal | one_more);  // against the column before
      const std::uint64_t falls = diagonal & one_more;
      distance += (rises & bit(size_ - 1)) != 0 ? 1 : 0;
      distance -= (falls & bit(size_ - 1)) != 0 ? 1 : 0;
      const std::uint64_t rises_above = rises << 1 | 1;
      one_more = falls << 1 | ~(diagonal | rises_above);
      one_less = rises_above & diagonal;
    }
    return distance;
  }

 private:
  static std::uint64_t bit(std::size_t row) { return std::uint64_t{1} << row; }

  std::size_t size_;
  std::array<std::uint64_t, 256> rows_{};  // for each byte, the rows of the word that hold it
};

}  // namespace

std::string complaint(const OptionSpec& spec, const std::string& value) {
  if (!spec.automatic.empty() && value == spec.automatic) return "";
  switch (spec.type) {
    case OptionType::integer:
    case OptionType::real:
      return number_complaint(spec, value);
    case OptionType::flag:
      if (value == "true" || value == "false") return "";
      return fmt::format("got '{}', expected true or false{}", value,
                         spec.automatic.empty() ? "" : " or auto");
    case OptionType::choice:
      return choice_complaint(spec, value, value);
    case OptionType::part:
      return part_complaint(spec, value);
    case OptionType::text:
    case OptionType::list:
    case OptionType::files:
      break;
  }
  return "";
}

std::string number_text(double value) { return fmt::format("{}", value); }

std::string joined(const std::vector<std::string>& words, std::string_view separator) {
  return fmt::format("{}", fmt::join(words, separator));
}

std::string nearest(std::string_view name, const std::vector<std::string>& candidates) {
  const Distance distance(name);
  std::vector<std::size_t> distances;
  for (const std::string& candidate : candidates) distances.push_back(distance(candidate));
  return candidates.empty()
             ? ""
             : candidates[static_cast<std::size_t>(std::ranges::min_element(distances) - distances.begin())];
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates) {
  const std::string meant = nearest(name, candidates);
  const bool is_near = Distance(name)(meant) <= 1 + std::min(name.size(), meant.size()) / 4;
  return is_near ? fmt::format(" (did you mean {}?)", meant) : "";
}

void OptionVisitor::integer(const char* name, Index& value, Range range, const char* help, Binds binds) {
  const char* automatic = range.zero_is_automatic ? "0" : "";
  field({name, OptionType::integer, std::to_string(value), help, range, {}, binds, automatic},
        [&](const std::string& text) { value = parse_integer(text).value(); });
}

void OptionVisitor::rows(const char* name, Index& value, double most, const char* parameter,
                         const char* help) {
  field({name,
         OptionType::integer,
         std::to_string(value),
         help,
         automatic_or(1, most),
         {},
         Binds::weights,
         "0",
         parameter},
        [&](const std::string& text) { value = parse_integer(text).value(); });
}

void OptionVisitor::number(const char* name, double& value, Range range, const char* help, Binds binds) {
  const char* automatic = range.zero_is_automatic ? "0" : "";
  field({name, OptionType::real, number_text(value), help, range, {}, binds, automatic},
        [&](const std::string& text) { value = parse_real(text).value(); });
}

void OptionVisitor::number_or_auto(const char* name, double& value, Range range, const char* help,
                                   Binds binds) {
  field({name, OptionType::real, value == 0.0 ? "auto" : number_text(value), help, range, {}, binds, "auto"},
        [&](const std::string& text) { value = text == "auto" ? 0.0 : parse_real(text).value(); });
}

void OptionVisitor::flag(const char* name, bool& value, const char* help, Binds binds) {
  field({name, OptionType::flag, value ? "true" : "false", help, {}, {}, binds},
        [&](const std::string& text) { value = text == "true"; });
}

void OptionVisitor::choice(const char* name, std::string& value, std::vector<std::string> choices,
                           const char* help, Binds binds) {
  field({name, OptionType::choice, value, help, {}, std::move(choices), binds},
        [&](const std::string& text) { value = text; });
}

void OptionVisitor::text(const char* name, std::string& value, const char* help, Binds binds) {
  field({name, OptionType::text, value, help, {}, {}, binds}, [&](const std::string& text) { value = text; });
}

void OptionVisitor::files(const char* name, std::vector<std::string>& value, const char* help, Binds binds) {
  field({name, OptionType::files, joined(value, "\n"), help, {}, {}, binds}, [&](const std::string& text) {
    value.clear();
    for (std::size_t start = 0; start < text.size();) {
      const std::size_t end = std::min(text.find('\n', start), text.size());
      if (end > start) value.push_back(text.substr(start, end - start));
      start = end + 1;
    }
  });
}

void OptionVisitor::part(const char* name, std::string& value, std::vector<std::string> names,
                         const char* help, Binds binds) {
  field({name, OptionType::part, value, help, {}, std::move(names), binds},
        [&](const std::string& text) { value = text; });
}

void OptionLister::field(OptionSpec spec, const std::function<void(const std::string&)>& /*assign*/) {
  specs.push_back(std::move(spec));
}

void OptionReader::field(OptionSpec spec, const std::function<void(const std::string&)>& assign) {
  known_.push_back(spec.name);
  const auto given = values_.find(spec.name);
  if (given == values_.end()) return;
  const std::string problem = complaint(spec, given->second);
  if (problem.empty()) {
    assign(given->second);
  } else {
    problems_.push_back(fmt::format("{}: {}: {}", part_, spec.name, problem));
  }
}

void OptionReader::check() const {
  std::vector<std::string> problems = problems_;
  for (const auto& [name, value] : values_) {
    if (std::ranges::find(known_, name) != known_.end()) continue;
    problems.push_back(
        known_.empty() ? fmt::format("{} has no options, got {} = {}", part_, name, value)
                       : fmt::format("{} has no option {}, expected one of {}", part_, name, joined(known_)));
  }
  if (!problems.empty()) throw ConfigError(joined(problems, "\n"));
}

}  // namespace ordinal
