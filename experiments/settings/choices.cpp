#include "experiments/settings/choices.h"

#include <fmt/format.h>

#include <algorithm>

#include "framework/core/errors.h"

namespace ordinal::experiments {
namespace {

bool has_positions(const Settings& settings) {
  return split_outside_brackets(settings.text(encoding_key), '@').size() > 1;
}

// The value of a key that names parts, as written there or at the encoding.
std::string written(Settings settings, const std::string& key) {
  if (find_key(key)->section() == "positional") settings = split_entry(settings);
  return settings.text(key == test_key && settings.text(test_key) == "same" ? training_key : key);
}

bool takes_positions(const Settings& settings) {
  return std::ranges::any_of(find_encodings(written(settings, encoding_key)), [](const EncodingEntry& entry) {
    return entry.positions != PositionUse::nothing;
  });
}

// Whether a run uses the parts that the key names.
bool is_in_use(const Settings& settings, const Key& key) {
  if (key.kind.empty() || key.section() == "encoding") return false;
  if (key.section() == "finetune") {  // by default no part of its own
    return settings.integer("finetune.steps") > 0 && settings.text(key.name) != key.option.value;
  }
  return key.kind != "positions" || takes_positions(settings);
}

}  // namespace

Part with_keys(Part part, const PartKind& kind, const Settings& settings, bool of_training, Reads* reads) {
  const PartInfo* info = kind.find(part.name);
  if (info == nullptr) return part;  // an unknown name is refused where the part is built
  const std::string written = to_string(part);
  for (const OptionSpec& option : info->options) {
    const std::string key = kind.section + "." + option.name;
    const auto own = part.options.find(option.name);
    if (own != part.options.end()) {
      if (reads != nullptr) reads->inlined[key].insert(written);
    } else if (!of_training || option.binds != Binds::test) {
      if (reads != nullptr) reads->keys.insert(key);
      if (settings.is_given(key) && option.type != OptionType::files)
        part.options[option.name] = settings.text(key);
    }
    if (option.type != OptionType::part) continue;
    const std::string outer = part.options.contains(option.name) ? part.options[option.name] : option.value;
    const std::string nested =
        to_string(with_keys(parse_part(outer), kind_of_option(option), settings, of_training, reads));
    if (nested != option.value) part.options[option.name] = nested;
  }
  return part;
}

std::vector<Part> parts_in_effect(const Settings& settings, const std::string& name, Reads* reads) {
  const Key& key = *find_key(name);
  const bool of_training = name == training_key || name == "finetune.positions";
  std::vector<Part> parts;
  for (const std::string& text : split_outside_brackets(written(settings, name), key.separator())) {
    if (text.empty() && key.kind == "conditions") continue;
    parts.push_back(with_keys(parse_part(text), part_kind(key.kind), settings, of_training, reads));
  }
  return parts;
}

std::string in_effect(const Settings& settings, const std::string& key) {
  return to_string(parts_in_effect(settings, key), find_key(key)->separator());
}

Reads reads_of(const Settings& settings) {
  Reads reads;
  for (const Key& key : all_keys()) {
    if (is_in_use(settings, key)) parts_in_effect(settings, key.name, &reads);
  }
  for (const std::string& key : {training_key, test_key}) {
    if (has_positions(settings)) {
      reads.inlined[key].insert(settings.text(encoding_key));
    } else {
      reads.keys.insert(key);
    }
  }
  return reads;
}

Settings split_entry(Settings settings) {
  const std::string text = settings.text(encoding_key);
  const std::string origin = settings.origin(encoding_key);
  const auto at = split_outside_brackets(text, '@');
  if (at.size() == 1) return settings;
  const auto schemes = split_outside_brackets(at[1], ':');
  if (at.size() > 2 || schemes.size() > 2) {
    throw ConfigError(fmt::format("{}: got '{}', expected encoding@training:test", encoding_key, text));
  }
  settings.set(encoding_key, at.front(), origin);
  settings.set(training_key, schemes.front(), origin);
  settings.set(test_key, schemes.size() == 2 ? schemes.back() : "same", origin);
  return settings;
}

PositionalChoice positional_choice(const Settings& settings) {
  const auto scheme = [&](const std::string& key) {
    return make_position_scheme(parts_in_effect(settings, key).at(0));
  };
  PositionalChoice choice{in_effect(settings, encoding_key), scheme(training_key), scheme(test_key)};
  find_encodings(choice.encoding);  // throws for an unknown one
  check_positions(choice.encoding, choice.training);
  check_positions(choice.encoding, choice.test);
  return choice;
}

std::string exchanged_encoding(const Settings& settings) {
  const std::string encoding = in_effect(settings, "finetune.encoding");
  return encoding == "same" ? "" : encoding;
}

std::string condition_text(const Settings& settings, const std::string& condition) {
  return to_string(with_keys(parse_part(condition), part_kind("conditions"), settings));
}

Part task_part(const Settings& settings) {
  Part task = parts_in_effect(settings, "task.name").at(0);
  const PartInfo* info = part_kind("tasks").find(task.name);
  if (info == nullptr) return task;  // refused where it is built
  for (const OptionSpec& option : info->options) {
    const std::string key = "task." + option.name;
    if (option.type == OptionType::files && settings.is_given(key))
      task.options.emplace(option.name, settings.text(key));
  }
  return task;
}

Direction task_direction(const Settings& settings) {
  return tasks().find(parse_part(settings.text("task.name")).name).direction;
}

ModelConfig model_section(const Settings& settings) {
  Settings resolved = settings;
  const auto set = [&](const std::string& key, const std::string& value) {
    resolved.set(key, value, settings.origin(key));
  };
  set("model.block", in_effect(settings, "model.block"));
  set("model.norm", in_effect(settings, "model.norm"));
  if (settings.text("model.causal") == "auto") {
    set("model.causal", task_direction(settings) == Direction::bidirectional ? "false" : "true");
  }
  return section_options<ModelConfig>(resolved, "model");
}

}  // namespace ordinal::experiments
