// From settings to the structs that the framework, the models and the tasks are built from, and back to the
// settings that trained weights depend on.
#pragma once

#include <cstdint>
#include <string>

#include "experiments/settings/choices.h"
#include "experiments/tasks/task.h"
#include "framework/training/checkpoint.h"
#include "framework/training/trainer.h"
#include "models/generation.h"
#include "models/model_config.h"

namespace ordinal::experiments {

/// The model for a task. A learned table is sized for the positions of training; with overflow = untrained
/// for the longest length of evaluate.lengths. Throws ConfigError for positions that the encoding cannot have
/// and for a vocabulary smaller than the task's; other errors are found when the model is built.
ModelConfig model_config(const Settings& settings, const Task& task);
/// The model that a checkpoint's or a parity file's settings describe, which need no task: model.vocab_size
/// must be set.
ModelConfig model_config(const Settings& settings);

PositionScheme training_positions(const Settings& settings, const Task& task);
PositionScheme test_positions(const Settings& settings, const Task& task);
/// Those of the test for settings from a checkpoint, which hold all lengths.
PositionScheme test_positions(const Settings& settings);

TrainerOptions trainer_options(const Settings& settings, Index seq_len, std::uint64_t seed);

/// The task, model, position and training settings that affect a result, each in a canonical form, with all
/// options of the parts in effect. `last` selects the result: Binds::training for the weights, Binds::test to
/// include the scores.
Metadata described(const Settings& settings, const Task& task, Binds last);

/// What a checkpoint keeps: the settings that affect its weights and their use, the seed, and the hash of the
/// data.
Metadata training_metadata(const Settings& settings, const Task& task, std::uint64_t seed);

/// The settings of the second stage of training: those of the first, overridden by finetune.….
Settings finetune_settings(const Settings& settings, const Task& task);

}  // namespace ordinal::experiments
