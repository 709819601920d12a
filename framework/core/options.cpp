#include "framework/core/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <sstream>
#include <utility>

#include "framework/core/errors.h"
#include "framework/core/part.h"
#include "framework/core/text.h"

namespace ordinal {
namespace {

bool within(double value, const Range& range) {
  if (range.automatic == "0" && value == 0.0) return true;
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
  if (range.automatic.empty()) return text;
  return fmt::format("{}, or {}", text, range.automatic == "0" ? "0 for automatic" : range.automatic);
}

std::string number_complaint(const OptionSpec& spec, const std::string& value) {
  const auto number = parse_real(value);
  if (!number || (spec.type == OptionType::integer && !parse_integer(value)))
    return fmt::format("got '{}', expected {}", value, expected_number(spec));
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

// Levenshtein distance between two words, ignoring case, row by row. Only the first 64 bytes of the first word count.
std::size_t distance(std::string_view a, std::string_view b) {
  a = a.substr(0, 64);
  std::vector<std::size_t> row(b.size() + 1);  // from the part of a read so far to the prefixes of b
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (lower(a[i]) == lower(b[j]) ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string complaint(const OptionSpec& spec, const std::string& value) {
  if (spec.range.automatic == "auto" && value == "auto") return "";
  if (spec.type == OptionType::integer || spec.type == OptionType::real) return number_complaint(spec, value);
  if (spec.type == OptionType::choice) return choice_complaint(spec, value, value);
  if (spec.type == OptionType::part) return part_complaint(spec, value);
  if (spec.type != OptionType::flag || value == "true" || value == "false") return "";
  return fmt::format("got '{}', expected true or false", value);
}

std::string number_text(double value) { return fmt::format("{}", value); }

std::string joined(const std::vector<std::string>& words, std::string_view separator) {
  return fmt::format("{}", fmt::join(words, separator));
}

std::string nearest(std::string_view name, const std::vector<std::string>& candidates) {
  const auto found =
      std::ranges::min_element(candidates, {}, [&](const std::string& word) { return distance(name, word); });
  return found == candidates.end() ? "" : *found;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates) {
  const std::string meant = nearest(name, candidates);
  const bool is_near = distance(name, meant) <= 1 + std::min(name.size(), meant.size()) / 4;
  return is_near ? fmt::format(" (did you mean {}?)", meant) : "";
}

std::vector<std::string> option_problems(const std::string& part, const std::vector<OptionSpec>& options,
                                         const OptionValues& values) {
  std::vector<std::string> problems;
  std::vector<std::string> names;
  for (const OptionSpec& option : options) {
    names.push_back(option.name);
    const auto given = values.find(option.name);
    const std::string problem = given == values.end() ? "" : complaint(option, given->second);
    if (!problem.empty()) problems.push_back(fmt::format("{}: {}: {}", part, option.name, problem));
  }
  for (const auto& [name, value] : values) {
    if (std::ranges::find(names, name) != names.end()) continue;
    problems.push_back(names.empty() ? fmt::format("{} has no options, got {} = {}", part, name, value)
                                     : fmt::format("{} has no option {}{}, expected one of {}", part, name,
                                                   did_you_mean(name, names), joined(names)));
  }
  return problems;
}

void check_values(const std::string& part, const std::vector<OptionSpec>& options,
                  const OptionValues& values) {
  const std::vector<std::string> problems = option_problems(part, options, values);
  if (!problems.empty()) throw ConfigError(joined(problems, "\n"));
}

void OptionVisitor::integer(const char* name, Index& value, Range range, const char* help, Binds binds) {
  add({name, OptionType::integer, std::to_string(value), help, range, {}, binds},
      [&](const std::string& text) { value = parse_integer(text).value(); });
}

void OptionVisitor::number(const char* name, double& value, Range range, const char* help, Binds binds) {
  const bool automatic = value == 0.0 && range.automatic == "auto";
  add({name, OptionType::real, automatic ? "auto" : number_text(value), help, range, {}, binds},
      [&](const std::string& text) { value = parse_real(text).value_or(0.0); });  // auto is 0
}

void OptionVisitor::flag(const char* name, bool& value, const char* help, Binds binds) {
  add({name, OptionType::flag, value ? "true" : "false", help, {}, {}, binds},
      [&](const std::string& text) { value = text == "true"; });
}

void OptionVisitor::choice(const char* name, std::string& value, std::vector<std::string> choices,
                           const char* help, Binds binds) {
  const Range range = {.automatic = std::ranges::count(choices, "auto") > 0 ? "auto" : ""};
  add({name, OptionType::choice, value, help, range, std::move(choices), binds},
      [&](const std::string& text) { value = text; });
}

void OptionVisitor::text(const char* name, std::string& value, const char* help, Binds binds) {
  add({name, OptionType::text, value, help, {}, {}, binds}, [&](const std::string& text) { value = text; });
}

void OptionVisitor::list(const char* name, std::vector<std::string>& value, const char* help, Binds binds) {
  add({name, OptionType::list, joined(value), help, {}, {}, binds}, [&](const std::string& text) {
    value = split_outside_brackets(text, ',');
    std::erase(value, "");
  });
}

void OptionVisitor::parts(const char* name, PartList& value, const char* kind, const char* help,
                          Binds binds) {
  add({name, OptionType::text, value.text(), help, {}, {}, binds, kind, value},
      [&](const std::string& text) { value = text; });
}

void OptionVisitor::files(const char* name, std::vector<std::string>& value, const char* help, Binds binds) {
  add({name, OptionType::files, joined(value, "\n"), help, {}, {}, binds}, [&](const std::string& text) {
    value.clear();
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
      if (!line.empty()) value.push_back(line);
  });
}

void OptionVisitor::part(const char* name, std::string& value, std::vector<std::string> names,
                         const char* help, Binds binds) {
  add({name, OptionType::part, value, help, {}, std::move(names), binds},
      [&](const std::string& text) { value = text; });
}

void OptionVisitor::add(OptionSpec spec, const std::function<void(const std::string&)>& set) {
  const auto given = values_.find(spec.name);
  if (given != values_.end() && complaint(spec, given->second).empty()) set(given->second);
  specs_.push_back(std::move(spec));
}

}  // namespace ordinal
