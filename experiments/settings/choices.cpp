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

}  // namespace

WrittenEncoding written_encoding(const Settings& settings, const std::string& key) {
  const std::string& text = settings.text(key);
  const auto at = split_outside_brackets(text, '@');
  if (at.size() == 1) {
    return {at.front(), settings.text("positional.positions"), settings.text("positional.test_positions")};
  }
  const auto schemes = split_outside_brackets(at.back(), ':');
  if (at.size() > 2 || schemes.size() > 2) {
    throw ConfigError(fmt::format("{}: got '{}', expected encoding@training:test", key, text));
  }
  return {at.front(), schemes.front(), schemes.size() == 2 ? schemes.back() : "same", true};
}

PositionalChoice positional_choice(const Settings& settings, const std::string& key) {
  const auto [encoding, training, test, own] = written_encoding(settings, key);
  PositionalChoice choice{
      with_keys(encoding, '+', part_kind("positional encodings"), settings),
      make_position_scheme(scheme_part(training, true, settings)),
      make_position_scheme(scheme_part(test == "same" ? training : test, false, settings))};
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
  return with_keys(condition, ',', part_kind("conditions"), settings);
}

Part task_part(const Settings& settings) { return parse_part(in_effect(settings, "task.name")); }

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

}  // namespace ordinal::experiments
