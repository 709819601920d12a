#include "experiments/settings/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "experiments/settings/parts.h"
#include "framework/core/errors.h"
#include "framework/core/options.h"
#include "framework/core/part.h"
#include "framework/core/text.h"

namespace ordinal::experiments {
namespace {

constexpr std::int64_t most_seeds = 1000;

const Key& known_key(const std::string& name) {
  const Key* key = find_key(name);
  if (key == nullptr) throw std::out_of_range(fmt::format("Settings: no key {}", name));
  return *key;
}

}  // namespace

std::vector<std::string> factor_values(const std::string& text) {
  std::vector<std::string> values =
      split_outside_brackets(text, text.find(';') == std::string::npos ? ',' : ';');
  std::erase(values, "");
  return values;
}

const std::string* WrittenSection::find(const std::string& key) const {
  const auto found = std::ranges::find(settings, key, &Setting::key);
  return found == settings.end() ? nullptr : &found->value;
}

const std::string& Settings::text(const std::string& key) const {
  const auto given = given_.find(key);
  return given == given_.end() ? known_key(key).option.value : given->second.text;
}

const std::string& Settings::origin(const std::string& key) const {
  static const std::string of_default = "default";
  return given_.contains(known_key(key).name) ? given_.at(key).origin : of_default;
}

void Settings::read(const Key& key, const std::string& text) {
  OptionVisitor visitor(OptionValues{{key.option.name, text}});
  Sections::visit(sections_, [&](const std::string& section, auto& of) {
    if (section == key.section()) of.visit(visitor);
  });
}

void Settings::set(const std::string& key, const std::string& value, const std::string& origin) {
  given_[known_key(key).name] = {value, origin};
  read(known_key(key), value);
}

void Settings::reset(const std::string& key) {
  given_.erase(known_key(key).name);
  read(known_key(key), known_key(key).option.value);
}

std::vector<Factor> Settings::factors(bool tuned) const {
  const std::string tune = "tune.";
  std::vector<Factor> factors;
  for (const WrittenSection& section : sections("compare")) {
    for (const auto& [key, value, origin] : section.settings) {
      if (key.starts_with(tune) == tuned)
        factors.push_back({tuned ? key.substr(tune.size()) : key, factor_values(value), origin});
    }
  }
  return factors;
}

bool Settings::rows_set(const std::string& key) const {
  return std::ranges::any_of(written_, [&](const WrittenSection& section) {
    return (section.kind == "compare" || section.kind == "row") && section.find(key) != nullptr;
  });
}

bool Settings::forget_compared(const std::string& key) {
  const bool is_compared = rows_set(key);
  std::erase_if(written_, [&](const auto& one) { return one.kind == "row" && one.find(key) != nullptr; });
  for (WrittenSection& section : written_)
    std::erase_if(section.settings, [&](const auto& one) { return one.key == key; });
  return is_compared;
}

std::vector<WrittenSection> Settings::sections(const std::string& kind) const {
  std::vector<WrittenSection> of_kind;
  std::ranges::copy_if(written_, std::back_inserter(of_kind),
                       [&](const WrittenSection& section) { return section.kind == kind; });
  return of_kind;
}

void Settings::add_to_section(const std::string& kind, const std::string& id, const std::string& key,
                              const std::string& value, const std::string& origin) {
  auto found = std::ranges::find_if(
      written_, [&](const WrittenSection& section) { return section.kind == kind && section.id == id; });
  if (found == written_.end()) found = written_.insert(written_.end(), {kind, id, origin});
  if (key.empty()) return;
  const auto same = std::ranges::find(found->settings, key, &WrittenSection::Setting::key);
  if (same == found->settings.end()) {
    found->settings.push_back({key, value, origin});
  } else {
    *same = {key, value, origin};
  }
}

std::string Settings::config(bool with_origins) const {
  std::string config;
  std::string in_section;
  const auto add = [&](const std::string& section, const std::string& name, const std::string& value,
                       const std::string& origin) {
    if (section != in_section) config += fmt::format("{}[{}]\n", config.empty() ? "" : "\n", section);
    in_section = section;
    const Key* key = find_key(section.find(' ') == std::string::npos ? section + "." + name : name);
    const bool are_files = key != nullptr && key->option.type == OptionType::files;  // one per line
    for (const std::string& one : are_files ? split_outside_brackets(value, '\n') : std::vector{value}) {
      if (name.empty() || (are_files && one.empty())) continue;
      const std::string line = fmt::format("{} = {}", name, one);
      // Only generate.prompt can contain what a config cannot; see config_file.cpp.
      const bool is_config = one.find_first_of("#\n\r") == std::string::npos;
      if (with_origins) config += fmt::format("{:<40}  # {}\n", line, origin);
      if (!with_origins && is_config) config += line + "\n";
    }
  };
  for (const Key& key : all_keys())
    add(key.section(), name_in_section(key.name), text(key.name), origin(key.name));
  for (const char* kind : {"compare", "row", "claim"}) {
    for (const WrittenSection& section : sections(kind)) {
      const std::string title = section.kind + (section.id.empty() ? "" : " " + section.id);
      if (section.settings.empty()) add(title, "", "", section.origin);
      for (const auto& [key, value, origin] : section.settings) add(title, key, value, origin);
    }
  }
  return config;
}

std::vector<std::uint64_t> seeds(const Settings& settings) {
  const std::string& text = settings->experiment.seeds;
  std::vector<Index> seeds;
  if (text.find(',') == std::string::npos) {
    const Index count = parse_integer(trimmed(text)).value_or(0);
    for (Index seed = 1; seed <= count && count <= most_seeds; ++seed) seeds.push_back(seed);
  } else {
    for (const std::string& item : split_outside_brackets(text, ','))
      if (!item.empty()) seeds.push_back(parse_integer(item).value_or(-1));
  }
  const std::set<Index> different(seeds.begin(), seeds.end());
  if (!seeds.empty() && *different.begin() >= 0 && different.size() == seeds.size())
    return {seeds.begin(), seeds.end()};
  throw ConfigError(fmt::format(
      "experiment.seeds: got '{}', expected a number of seeds from 1 to {} (3: seeds 1 to 3), or a "
      "list of different seeds such as 1,2,7 (7,: seed 7 alone)",
      text, most_seeds));
}

Index parse_length(const std::string& text, Index train_length) {
  const bool is_multiple = text.ends_with('x');
  if (!is_multiple && text.find_first_not_of("0123456789") != std::string::npos) return 0;
  const double number = parse_real(is_multiple ? text.substr(0, text.size() - 1) : text).value_or(0.0);
  return rounded_product(std::min(number, 1e9), is_multiple ? train_length : 1);  // more would overflow
}

Index length_of(const Settings& settings, const std::string& key, const std::string& text) {
  const Index length = parse_length(text, settings->task.train_length);
  if (length >= 1 && length <= 100'000'000) return length;
  throw ConfigError(
      fmt::format("{}: got '{}', {}", key, text,
                  length > 0 ? "which is too large, expected at most 100000000 tokens"
                             : "expected a length such as 256, or 4x for a multiple of task.train_length"));
}

std::vector<Index> evaluation_lengths(const Settings& settings) {
  std::set<Index> lengths;
  for (const std::string& item : settings->evaluate.lengths)
    lengths.insert(length_of(settings, "evaluate.lengths", item));
  return {lengths.begin(), lengths.end()};
}

namespace {

struct TestedCondition {
  std::string name;
  std::set<Index> lengths;
};

std::vector<TestedCondition> tested_conditions(const Settings& settings) {
  const std::vector<Index> all = evaluation_lengths(settings);
  const auto refuse = [](const LimitedCondition& limited, const std::string& got,
                         const std::string& expected) {
    throw ConfigError(fmt::format("evaluate.conditions: {}@{}: got {}, expected {}",
                                  to_string(limited.condition), fmt::join(limited.lengths, "+"), got,
                                  expected));
  };
  std::vector<TestedCondition> tested;
  for (const LimitedCondition& limited : limited_conditions(settings->evaluate.conditions)) {
    const std::string text = to_string(limited.condition);
    std::set<Index> own;
    for (const std::string& item : limited.lengths) {
      const Index length = length_of(settings, "evaluate.conditions", item);
      if (std::ranges::count(all, length) == 0)
        refuse(limited, item,
               fmt::format("one of evaluate.lengths = {} (add it there, or leave it out here)",
                           joined(settings->evaluate.lengths)));
      own.insert(length);
    }
    if (own.empty()) own.insert(all.begin(), all.end());
    if (tested.empty() && own.size() < all.size())
      refuse(limited, "some lengths",
             fmt::format("all for the first condition, that of the main tables (write {}, or another first)",
                         text));
    tested.push_back({text, own});
  }
  return tested;
}

}  // namespace

std::vector<LengthTest> tests_of(const Settings& settings) {
  const std::vector<TestedCondition> conditions = tested_conditions(settings);
  std::vector<LengthTest> tests;
  for (const Index length : evaluation_lengths(settings))
    for (const auto& [name, lengths] : conditions)
      if (lengths.contains(length)) tests.push_back({length, name});
  return tests;
}

std::string conditions_text(const Settings& settings) {
  const std::size_t all = evaluation_lengths(settings).size();
  std::vector<std::string> texts;
  for (const auto& [name, lengths] : tested_conditions(settings))
    texts.push_back(name + (lengths.size() == all ? "" : fmt::format("@{}", fmt::join(lengths, "+"))));
  return joined(texts);
}

std::string doubtful_lengths(const Settings& settings) {
  const Index train_length = settings->task.train_length;
  std::vector<std::string> lengths = settings->evaluate.lengths;
  const auto multiples = std::erase_if(lengths, [](const auto& one) { return one.ends_with('x'); });
  std::erase_if(lengths, [&](const auto& one) { return parse_length(one, train_length) >= train_length; });
  const bool are_all = lengths.size() == settings->evaluate.lengths.size();
  if (lengths.empty() || (multiples == 0 && !are_all)) return "";
  return fmt::format("warning: evaluate.lengths has {}, below the training length, {} (2x: twice as long)\n",
                     joined(lengths), train_length);
}

}  // namespace ordinal::experiments
