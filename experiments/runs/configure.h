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

/// The model of one encoding for a task. Tables are sized for the training length; with positional.overflow =
/// untrained for the longest length of evaluate.lengths.
ModelConfig model_config(const Settings& settings, const Task& task, const std::string& encoding);

/// The model that a checkpoint's or a parity file's settings describe, which need no task: model.vocab_size
/// must be set. Throws CheckpointError if it is not.
ModelConfig model_config(const Settings& settings);

TrainerOptions trainer_options(const Settings& settings, Index seq_len, std::uint64_t seed);
GenerationOptions generation_options(const Settings& settings);

/// The settings that a trained model depends on, with the encoding and seed of this run: what a checkpoint
/// keeps.
Metadata training_metadata(const Settings& settings, const Task& task, const ModelConfig& model,
                           const std::string& encoding, std::uint64_t seed);

/// The settings behind a checkpoint or parity file. Throws CheckpointError if its metadata describes no
/// model.
Settings settings_of(const SafetensorsFile& file, const std::string& path);

}  // namespace ordinal
