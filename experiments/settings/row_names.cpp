#include "experiments/settings/row_names.h"

#include <algorithm>
#include <functional>

#include "experiments/settings/configure.h"
#include "experiments/settings/parts.h"
#include "framework/core/errors.h"

namespace ordinal::experiments {
namespace {

bool means(const Settings& settings, const Task& task, const Metadata& full) {
  try {
    return described(settings, task, Binds::test) == full;
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

// The value of a key that names parts, without options that follow from the other settings. `full` describes them all.
std::string short_value(const Metadata& full, const Key& key, const Task& task) {
  Settings settings = Settings::from_map(full, "described");
  std::vector<Part> parts;
  for (const std::string& text : split_outside_brackets(full.at(key.name), key.separator()))
    parts.push_back(parse_part(text));
  const auto text = [&] {
    std::vector<std::string> texts;
    for (const Part& part : parts) texts.push_back(to_string(part));
    return joined(texts, key.separator() == '+' ? "+" : ", ");
  };
  for (Part& part : parts) {
    shorten(part, [&] {
      settings.set(key.name, text(), "described");
      return means(settings, task, full);
    });
  }
  return text();
}

// The same for any key.
std::string shown_value(const Described& row, const Key& key) {
  return key.kind.empty() ? row.full.at(key.name) : short_value(row.full, key, row.task);
}

// Whether the key would have its value if nobody set it.
bool follows(const Described& row, const Key& key) {
  Settings settings = Settings::from_map(row.full, "described");
  settings.reset(key.name);
  return means(settings, row.task, row.full);
}

bool is_of_entry(const std::string& key) {
  return key == "positional.encoding" || key == "positional.positions" || key == "positional.test_positions";
}

std::string entry_of(const Described& row) {
  const auto short_of = [&](const char* key) { return short_value(row.full, *find_key(key), row.task); };
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

std::string entry_text(const Settings& settings, const Task& task) {
  const Metadata full = described(settings, task, Binds::test);
  const std::string entry = entry_of({full, task});
  Settings alone = settings;
  for (const Key& key : all_keys()) {
    const bool is_option = key.is_option() && key.section() == "positional";
    if (key.name != "positional.encoding" && (is_option || is_of_entry(key.name))) alone.reset(key.name);
  }
  const std::string& written = settings.text("positional.encoding");
  return written.size() < entry.size() && means(alone, task, full) ? written : entry;
}

std::vector<std::string> differing_keys(const std::vector<Described>& rows) {
  std::vector<std::string> keys;
  for (const Key& key : all_keys()) {
    if (!rows.front().full.contains(key.name)) continue;
    const auto differs = [&](const Described& row) {
      return row.full.at(key.name) != rows.front().full.at(key.name);
    };
    if (std::ranges::any_of(rows, differs)) keys.push_back(key.name);
  }
  return keys;
}

std::vector<Combination> distinguishing_values(const std::vector<Described>& rows) {
  std::vector<Combination> combinations(rows.size());
  const auto add = [&](const std::string& key, const std::vector<std::string>& values) {
    for (std::size_t i = 0; i < rows.size(); ++i) combinations[i].emplace_back(key, values[i]);
  };
  std::vector<std::string> entries;
  for (const Described& row : rows) entries.push_back(entry_of(row));
  if (!all_equal(entries)) add("positional.encoding", entries);
  for (const std::string& name : differing_keys(rows)) {
    const Key& key = *find_key(name);
    if (is_of_entry(name)) continue;
    std::vector<std::string> values;
    for (const Described& row : rows) values.push_back(shown_value(row, key));
    const auto follows_there = [&](const Described& row) { return follows(row, key); };
    if (!all_equal(values) && !std::ranges::all_of(rows, follows_there)) add(name, values);
  }
  if (combinations.front().empty()) add("positional.encoding", entries);
  return combinations;
}

}  // namespace ordinal::experiments
