// What settings and a task come to: everything in effect for one training and the test of its model.
#pragma once

#include <cstdint>
#include <memory>

#include "experiments/settings/settings.h"
#include "experiments/tasks/task.h"
#include "framework/positional/position_scheme.h"
#include "framework/training/checkpoint.h"
#include "framework/training/trainer.h"
#include "models/model_config.h"

namespace ordinal::experiments {

struct Plan {
  /// A learned table is sized for the positions of training; with overflow = untrained for the longest length of
  /// evaluate.lengths. Without a task it is the plan of a checkpoint or a parity file: model.vocab_size must be set, and
  /// nothing is trained. Throws ConfigError for positions that the encoding cannot have and for a vocabulary smaller than
  /// the task's; other errors are found when the model is built.
  explicit Plan(const Settings& settings, std::shared_ptr<const Task> task = nullptr);

  Settings settings;
  std::shared_ptr<const Task> task;
  ModelConfig model;
  PositionScheme training_positions;
  PositionScheme test_positions;
  /// The task, model, position and training settings that affect a result, each in a canonical form, with all options of
  /// the parts in effect; empty without a task.
  Metadata full;

  /// The length of a training sequence in tokens.
  Index seq_len() const;
  TrainerOptions trainer(std::uint64_t seed) const;

  /// The same up to those that bind a result: Binds::training for the weights, Binds::test to include the scores.
  Metadata text(Binds last) const;
  /// What a checkpoint keeps: the full text, the task's files, the seed, and the hash of the data.
  Metadata metadata(std::uint64_t seed) const;

  /// The settings of the second stage of training: those of the first, overridden by finetune.….
  Settings second_stage() const;
};

}  // namespace ordinal::experiments
