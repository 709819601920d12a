#include "experiments/settings/choices.h"

#include <fmt/format.h>

#include "experiments/settings/parts.h"
#include "framework/core/errors.h"

namespace ordinal::experiments {
namespace {

// An offset set by a key applies to the test only.
Part scheme_part(const std::string& text, bool of_training, const Settings& settings) {
  const Part written = parse_part(text);
  Part part = with_keys(written, part_kind("positions"), settings);
  for (const OptionSpec& option : position_schemes().find(part.name).options) {
    if (of_training && option.binds == Binds::test && !written.options.contains(option.name)) {
      part.options.erase(option.name);
    }
  }
  return part;
}

std::string text_of(const char* key, const char* kind, const Settings& settings) {
  return with_keys(settings.text(key), ',', part_kind(kind), settings);
}

}  // namespace

PositionalChoice positional_choice(const Settings& settings, const std::string& key) {
  const auto at = split_outside_brackets(settings.text(key), '@');
  if (at.size() > 2) {
    throw ConfigError(fmt::format("{}: got '{}', expected encoding@training:test", key, settings.text(key)));
  }
  std::vector<std::string> schemes = {settings.text("positional.positions"),
                                      settings.text("positional.test_positions")};
  if (at.size() == 2) schemes = split_outside_brackets(at.back(), ':');
  if (schemes.size() == 1) schemes.emplace_back("same");
  if (schemes.size() != 2) {
    throw ConfigError(fmt::format("{}: got '{}', expected encoding@training:test", key, settings.text(key)));
  }
  if (schemes[1] == "same") schemes[1] = schemes[0];
  PositionalChoice choice{with_keys(at.front(), '+', part_kind("positional encodings"), settings),
                          make_position_scheme(scheme_part(schemes[0], true, settings)),
                          make_position_scheme(scheme_part(schemes[1], false, settings))};
  find_encodings(choice.encoding);  // throws for an unknown one
  check_positions(choice.encoding, choice.training);
  check_positions(choice.encoding, choice.test);
  return choice;
}

std::string exchanged_encoding(const Settings& settings) {
  const std::string& text = settings.text("finetune.encoding");
  return text == "same" ? "" : with_keys(text, '+', part_kind("positional encodings"), settings);
}

std::string condition_text(const Settings& settings, const std::string& condition) {
  return with_keys(condition, ',', part_kind("conditions"), settings);
}

Part task_part(const Settings& settings) {
  return with_keys(parse_part(settings.text("task.name")), part_kind("tasks"), settings);
}

Direction task_direction(const Settings& settings) {
  return tasks().find(parse_part(settings.text("task.name")).name).direction;
}

ModelConfig model_section(const Settings& settings) {
  Settings resolved = settings;
  const std::string causal = "model.causal";
  if (settings.text(causal) == "auto") {
    const bool both_ways = task_direction(settings) == Direction::bidirectional;
    resolved.set(causal, both_ways ? "false" : "true", settings.origin(causal));
  }
  return section_options<ModelConfig>(resolved, "model");
}

std::string optimizer_text(const Settings& settings) {
  return text_of("train.optimizer", "optimizers", settings);
}
std::string schedule_text(const Settings& settings) {
  return text_of("train.schedule", "schedules", settings);
}
std::string block_text(const Settings& settings) { return text_of("model.block", "branches", settings); }
std::string norm_text(const Settings& settings) { return text_of("model.norm", "norms", settings); }

}  // namespace ordinal::experiments
