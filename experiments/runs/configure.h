// From settings to the structs that the framework, the models and the tasks are built from.
#pragma once

#include <cstdint>
#include <string>

#include "experiments/settings/settings.h"
#include "experiments/tasks/task.h"
#include "framework/training/checkpoint.h"
#include "framework/training/trainer.h"
#include "models/generation.h"
#include "models/model_config.h"

namespace ordinal {

TaskConfig task_config(const Settings& settings);

/// The model of one encoding (an entry of positional.encodings) for a task. A learned table is sized for the
/// positions of training; with positional.overflow = untrained for the longest length of evaluate.lengths.
/// Throws ConfigError if a table that was sized by hand ends before the positions of training.
ModelConfig model_config(const Settings& settings, const Task& task, const std::string& encoding);

/// The model that a checkpoint's or a parity file's settings describe, which need no task: model.vocab_size
/// must be set. Throws CheckpointError if it is not.
ModelConfig model_config(const Settings& settings);

/// The positions of an entry of positional.encodings in training and in the test.
PositionScheme training_positions(const Settings& settings, const Task& task, const std::string& entry);
PositionScheme test_positions(const Settings& settings, const Task& task, const std::string& entry);
/// Those of the test for settings from a checkpoint, which hold all lengths.
PositionScheme test_positions(const Settings& settings);

TrainerOptions trainer_options(const Settings& settings, Index seq_len, std::uint64_t seed);
GenerationOptions generation_options(const Settings& settings);

/// The settings that a trained model depends on, with the encoding and seed of this run: what a checkpoint
/// keeps.
Metadata training_metadata(const Settings& settings, const Task& task, const ModelConfig& model,
                           const std::string& encoding, std::uint64_t seed);

/// Settings among the metadata that change only how a trained model is tested.
bool is_test_only(const std::string& key, const Metadata& metadata);

}  // namespace ordinal
