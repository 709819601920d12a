#include "experiments/settings/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "experiments/settings/number.h"
#include "framework/core/errors.h"
#include "framework/positional/sinusoidal.h"

namespace ordinal {
namespace {

std::string trimmed(std::string text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  while (!text.empty() && is_space(text.back())) text.pop_back();
  text.erase(text.begin(), std::ranges::find_if_not(text, is_space));
  return text;
}

// "auto", or a number above 1.
bool is_base(const std::string& text) {
  const auto base = parse_real(text);
  return text == "auto" || (base && *base > 1.0);
}

// A length as given: 128, or 4x for four times the training length; 0 if it is neither.
Index length_of(const std::string& text, Index train_length) {
  if (!text.ends_with('x')) return parse_integer(text).value_or(0);
  const auto factor = parse_real(text.substr(0, text.size() - 1));
  return factor ? static_cast<Index>(std::llround(*factor * static_cast<double>(train_length))) : 0;
}

}  // namespace

Settings::Settings() {
  for (const Key& key : all_keys()) values_[key.name] = {key.fallback, "default"};
}

Settings Settings::from_map(const std::map<std::string, std::string>& values, const std::string& origin) {
  Settings settings;
  for (const auto& [name, value] : values) {
    const Key* key = find_key(name);
    if (key == nullptr) continue;
    const std::string problem = complaint(*key, value);
    if (!problem.empty()) throw ConfigError(fmt::format("{}: {}: {}", origin, name, problem));
    settings.set(name, value, origin);
  }
  return settings;
}

const Settings::Value& Settings::at(const std::string& key) const {
  const auto found = values_.find(key);
  if (found == values_.end()) throw std::out_of_range(fmt::format("Settings: no key {}", key));
  return found->second;
}

Index Settings::integer(const std::string& key) const { return parse_integer(at(key).text).value(); }
double Settings::real(const std::string& key) const { return parse_real(at(key).text).value(); }
bool Settings::flag(const std::string& key) const { return at(key).text == "true"; }
const std::string& Settings::text(const std::string& key) const { return at(key).text; }
const std::string& Settings::origin(const std::string& key) const { return at(key).origin; }

std::vector<std::string> Settings::list(const std::string& key) const {
  const std::string& text = at(key).text;
  const char separator = find_key(key)->type == KeyType::files ? '\n' : ',';
  std::vector<std::string> items;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(separator, start), text.size());
    const std::string item = trimmed(text.substr(start, end - start));
    if (!item.empty()) items.push_back(item);
    start = end + 1;
  }
  return items;
}

void Settings::set(const std::string& key, const std::string& value, const std::string& origin) {
  at(key);
  values_[key] = {value, origin};
}

std::string Settings::resolved_config() const {
  std::string config;
  std::string section;
  for (const Key& key : all_keys()) {
    if (key.section() != section) {
      config += fmt::format("{}[{}]\n", section.empty() ? "" : "\n", key.section());
      section = key.section();
    }
    const std::string& value = text(key.name);
    const std::vector<std::string> lines =
        key.type == KeyType::files ? list(key.name) : std::vector<std::string>{value};
    for (const std::string& line : lines) {
      // Only generate.prompt can hold what a config cannot; see command_line.cpp.
      if (line.find_first_of("#\n\r") == std::string::npos)
        config += fmt::format("{} = {}\n", key.name.substr(section.size() + 1), line);
    }
  }
  return config;
}

std::string Settings::print_config() const {
  std::size_t width = 0;
  for (const Key& key : all_keys()) width = std::max(width, key.name.size() + text(key.name).size());
  std::string table;
  for (const Key& key : all_keys()) {
    const std::string setting = fmt::format("{} = {}", key.name, text(key.name));
    table += fmt::format("{:<{}}  ({})\n", setting, std::min<std::size_t>(width + 3, 60), origin(key.name));
  }
  return table;
}

std::vector<std::uint64_t> seeds(const Settings& settings) {
  const std::vector<std::string> items = settings.list("experiment.seeds");
  std::vector<std::uint64_t> result;
  for (const std::string& item : items) {
    const auto number = parse_integer(item);
    const bool counts = items.size() == 1 && settings.text("experiment.seeds").find(',') == std::string::npos;
    if (!number || *number < (counts ? 1 : 0) || (counts && *number > 1000)) {
      throw ConfigError(
          fmt::format("experiment.seeds: got '{}', expected a number of seeds from 1 to 1000 or a "
                      "list of seeds such as 1,2,7",
                      settings.text("experiment.seeds")));
    }
    if (counts) {
      for (std::int64_t seed = 1; seed <= *number; ++seed) result.push_back(static_cast<std::uint64_t>(seed));
    } else {
      result.push_back(static_cast<std::uint64_t>(*number));
    }
  }
  std::vector<std::uint64_t> sorted = result;
  std::ranges::sort(sorted);
  if (result.empty() || std::ranges::adjacent_find(sorted) != sorted.end()) {
    throw ConfigError(
        fmt::format("experiment.seeds: got '{}', expected at least one seed and none of them twice",
                    settings.text("experiment.seeds")));
  }
  return result;
}

std::vector<Index> evaluation_lengths(const Settings& settings) {
  std::vector<Index> lengths;
  for (const std::string& item : settings.list("evaluate.lengths")) {
    const Index length = length_of(item, settings.integer("task.train_length"));
    if (length < 1 || length > 100'000'000) {
      throw ConfigError(
          fmt::format("evaluate.lengths: got '{}', expected a length such as 256, or 4x for a multiple of "
                      "task.train_length",
                      item));
    }
    lengths.push_back(length);
  }
  if (lengths.empty()) throw ConfigError("evaluate.lengths: got no length, expected at least one");
  std::ranges::sort(lengths);
  lengths.erase(std::unique(lengths.begin(), lengths.end()), lengths.end());
  return lengths;
}

double positional_base(const Settings& settings) {
  const std::string& text = settings.text("positional.base");
  if (!is_base(text)) {
    throw ConfigError(fmt::format("positional.base: got '{}', expected a number above 1, or auto", text));
  }
  if (text != "auto") return parse_real(text).value();
  return std::max(choose_base(static_cast<double>(settings.integer("task.train_length"))), 2.0);
}

}  // namespace ordinal
