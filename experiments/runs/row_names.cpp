#include "experiments/runs/row_names.h"

#include "experiments/runs/configure.h"
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
    const OptionValues options = part.options;
    for (const auto& option : options) {
      part.options.erase(option.first);
      settings.set(key.name, text(), "described");
      if (!means(settings, task, full)) part.options.insert(option);
    }
  }
  return text();
}

}  // namespace

std::string entry_text(const Settings& settings, const Task& task) {
  const Metadata full = described(settings, task, Binds::test);
  const auto short_of = [&](const char* key) { return short_value(full, *find_key(key), task); };
  const std::string encoding = short_of("positional.encoding");
  const std::string training = short_of("positional.positions");
  const bool same = full.at("positional.positions") == full.at("positional.test_positions");
  if (same && training == find_key("positional.positions")->option.value) return encoding;
  return encoding + "@" + training + (same ? "" : ":" + short_of("positional.test_positions"));
}

}  // namespace ordinal::experiments
