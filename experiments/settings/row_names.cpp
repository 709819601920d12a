#include "experiments/settings/row_names.h"

#include <algorithm>
#include <functional>

#include "experiments/settings/parts.h"
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

// The value of a key; if it names parts, without the options that follow from the other settings.
std::string short_value(const Plan& plan, const Key& key) {
  const std::string& value = plan.full.at(key.name);
  if (key.kind.empty()) return value;
  Settings settings = Settings::from_map(plan.full, "described");
  std::vector<Part> parts = parse_parts(value, key.separator());
  for (Part& part : parts) {
    shorten(part, [&] {
      settings.set(key.name, to_string(parts, key.separator()), "described");
      return means(settings, plan);
    });
  }
  return to_string(parts, key.separator());
}

// Whether the key would have its value if nobody set it.
bool follows(const Plan& plan, const Key& key) {
  Settings settings = Settings::from_map(plan.full, "described");
  settings.reset(key.name);
  return means(settings, plan);
}

bool is_of_entry(const std::string& key) {
  return key == "positional.encoding" || key == "positional.positions" || key == "positional.test_positions";
}

std::string short_entry(const Plan& row) {
  const auto short_of = [&](const char* key) { return short_value(row, *find_key(key)); };
  const std::string encoding = short_of("positional.encoding");
  const std::string training = short_of("positional.positions");
  const bool same = row.full.at("positional.positions") == row.full.at("positional.test_positions");
  if (same && training == find_key("positional.positions")->option.value) return encoding;
  return encoding + "@" + training + (same ? "" : ":" + short_of("positional.test_positions"));
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
    if (key.name != "positional.encoding" && (is_option || is_of_entry(key.name))) alone.reset(key.name);
  }
  const std::string& written = plan.settings.text("positional.encoding");
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
  if (!all_equal(entries)) add("positional.encoding", entries);
  for (const std::string& name : differing_keys(rows)) {
    const Key& key = *find_key(name);
    if (is_of_entry(name)) continue;
    std::vector<std::string> values;
    for (const Plan& row : rows) values.push_back(short_value(row, key));
    const auto follows_there = [&](const Plan& row) { return follows(row, key); };
    if (!all_equal(values) && !std::ranges::all_of(rows, follows_there)) add(name, values);
  }
  if (combinations.front().empty()) add("positional.encoding", entries);
  return combinations;
}

}  // namespace ordinal::experiments
