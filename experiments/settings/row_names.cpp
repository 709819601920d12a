// Short names for settings that hold every option, such as those of a checkpoint.
#include <algorithm>
#include <functional>

#include "experiments/settings/rows.h"
#include "framework/core/errors.h"

namespace ordinal::experiments {
namespace {

// Whether the settings come to the same plan.
bool means(const Settings& settings, const Plan& plan) {
  try {
    return Plan(settings, plan.task).full == plan.full;
  } catch (const ConfigError&) {
    return false;
  }
}

// Leaves out the options without which the text means the same, those of nested parts, too.
void shorten(Part& part, const std::function<bool()>& means_the_same) {
  const OptionValues options = part.options;
  for (const auto& [name, value] : options) {
    part.options.erase(name);
    if (means_the_same()) continue;
    std::string& kept = part.options[name] = value;
    if (value.find('(') == std::string::npos) continue;
    Part nested = parse_part(value);
    shorten(nested, [&] {
      kept = to_string(nested);
      return means_the_same();
    });
    kept = to_string(nested);
  }
}

Settings settings_of(const Plan& plan) { return Settings::from_map(plan.full, "described"); }

// The value of a key; if it names parts, without the options that follow from the other settings.
std::string short_value(const Plan& plan, const std::string& name) {
  const Key& key = *find_key(name);
  if (key.kind.empty()) return plan.full.at(name);
  Settings settings = settings_of(plan);
  std::vector<Part> parts = parse_parts(plan.full.at(name), key.separator());
  const auto text = [&] { return to_string(parts, key.separator()); };
  for (Part& part : parts) {
    shorten(part, [&] {
      settings.set(name, text(), "described");
      return means(settings, plan);
    });
  }
  return text();
}

// Whether the key would have its value if nobody set it.
bool follows(const Plan& plan, const std::string& key) {
  Settings settings = settings_of(plan);
  settings.reset(key);
  return means(settings, plan);
}

bool is_of_entry(const std::string& key) {
  return key == encoding_key || key == training_key || key == test_key;
}

std::string short_entry(const Plan& row) {
  std::string encoding = short_value(row, encoding_key);
  const std::string training = short_value(row, training_key);
  const bool same = row.full.at(training_key) == row.full.at(test_key);
  if (same && training == find_key(training_key)->option.value) return encoding;
  return encoding + "@" + training + (same ? "" : ":" + short_value(row, test_key));
}

bool all_equal(const std::vector<std::string>& values) {
  return std::ranges::adjacent_find(values, std::ranges::not_equal_to()) == values.end();
}

}  // namespace

std::string entry_text(const Plan& plan) {
  const std::string entry = short_entry(plan);
  Settings alone = plan.settings;
  for (const Key& key : all_keys()) {
    const bool is_option = key.is_option() && key.section() == "positional";
    if (key.name != encoding_key && (is_option || is_of_entry(key.name))) alone.reset(key.name);
  }
  const std::string& written = plan.settings.text(encoding_key);
  return written.size() < entry.size() && means(alone, plan) ? written : entry;
}

std::vector<std::string> differing_keys(const std::vector<Plan>& rows) {
  std::vector<std::string> keys;
  for (const Key& key : all_keys()) {
    if (!rows.front().full.contains(key.name)) continue;
    const auto differs = [&](const Plan& row) {
      return row.full.at(key.name) != rows.front().full.at(key.name);
    };
    if (std::ranges::any_of(rows, differs)) keys.push_back(key.name);
  }
  return keys;
}

std::vector<Combination> distinguishing_values(const std::vector<Plan>& rows) {
  std::vector<Combination> combinations(rows.size());
  const auto add = [&](const std::string& key, const std::vector<std::string>& values) {
    for (std::size_t i = 0; i < rows.size(); ++i) combinations[i].emplace_back(key, values[i]);
  };
  std::vector<std::string> entries;
  for (const Plan& row : rows) entries.push_back(short_entry(row));
  if (!all_equal(entries)) add(encoding_key, entries);
  for (const std::string& name : differing_keys(rows)) {
    if (is_of_entry(name)) continue;
    std::vector<std::string> values;
    for (const Plan& row : rows) values.push_back(short_value(row, name));
    const auto follows_there = [&](const Plan& row) { return follows(row, name); };
    if (!all_equal(values) && !std::ranges::all_of(rows, follows_there)) add(name, values);
  }
  if (combinations.front().empty()) add(encoding_key, entries);
  return combinations;
}

}  // namespace ordinal::experiments
