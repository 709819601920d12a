// The values of keys that name parts: each part with the options that are set inline or by their keys.
#pragma once

#include <string>

#include "experiments/settings/settings.h"
#include "experiments/tasks/task.h"
#include "framework/core/part.h"
#include "framework/positional/position_scheme.h"
#include "models/model_config.h"

namespace ordinal::experiments {

/// The value of positional.encoding as written: "rope(base=500)@yarn:ntk" is an encoding, the positions of training and
/// those of the test, or `same`. Without @ the positions are those of their keys.
struct WrittenEncoding {
  std::string encoding;
  std::string training;
  std::string test;
  bool has_positions = false;  // of its own
};
/// Throws ConfigError for more than these three. `key` is the one that names the encoding.
WrittenEncoding written_encoding(const Settings& settings, const std::string& key = "positional.encoding");

/// The same, completed by other keys. Lengths are not resolved yet.
struct PositionalChoice {
  std::string encoding;
  PositionScheme training;
  PositionScheme test;
};
/// Throws ConfigError for an unknown encoding or scheme, or a scheme that does not apply to the encoding.
PositionalChoice positional_choice(const Settings& settings, const std::string& key = "positional.encoding");

/// The value of finetune.encoding with its options; empty if the trained encoding stays.
std::string exchanged_encoding(const Settings& settings);

/// A condition of evaluate.conditions with its options.
std::string condition_text(const Settings& settings, const std::string& condition);

/// The task with its options.
Part task_part(const Settings& settings);

/// What the task needs of a model.
Direction task_direction(const Settings& settings);

/// The section model: model.causal = auto is resolved to what the task needs. Its parts have the options that they
/// are written with.
ModelConfig model_section(const Settings& settings);

}  // namespace ordinal::experiments
