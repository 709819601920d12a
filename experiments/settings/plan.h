// Resolves settings and a task: everything in effect for one training and the test of its model, with all options of the
// parts that keys name.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "experiments/settings/parts.h"
#include "experiments/settings/settings.h"
#include "experiments/tasks/lengths.h"
#include "experiments/tasks/task.h"
#include "framework/core/part.h"
#include "framework/positional/position_scheme.h"
#include "framework/training/checkpoint.h"
#include "framework/training/trainer.h"
#include "models/model_config.h"

namespace ordinal::experiments {

/// The encoding and its positions. Lengths are not resolved yet.
struct PositionalChoice {
  PartList encoding;
  PositionScheme training;
  PositionScheme test;
};
/// Throws ConfigError for an unknown encoding or scheme, or a scheme that does not apply to the encoding.
PositionalChoice positional_choice(const Settings& settings);

/// The task with its options and files.
Part task_part(const Settings& settings);

/// The training lengths. Throws ConfigError for options that do not fit task.train_length.
LengthScheme training_lengths(const Settings& settings);

/// What the task needs of a model.
Direction task_direction(const Settings& settings);

struct Plan {
  /// A learned table is sized for the positions of training, or with overflow = untrained, for the longest length of
  /// evaluate.lengths. Without a task, it is the plan of a checkpoint or a parity file: model.vocab_size must be set, and
  /// nothing is trained. Throws ConfigError for positions that the encoding cannot use and for a vocabulary smaller than
  /// the task's; other errors are found when the model is built.
  explicit Plan(const Settings& given, std::shared_ptr<const Task> of = nullptr);

  Settings settings;  // with the values of the model that follow from others, such as model.vocab_size
  std::shared_ptr<const Task> task;
  ModelConfig model;
  PositionScheme training_positions;
  PositionScheme test_positions;
  /// The task, model, position and training settings that affect a result, each in a canonical form, with all options of
  /// the parts in effect; empty without a task.
  Metadata full;

  /// The longest training sequence in tokens.
  Index seq_len() const;
  /// The number of tokens after which metrics count a target as past the training length: model.train_length, or the
  /// tokens of task.train_length if long batches are mixed into training, so that rows with and without them are
  /// scored on the same targets.
  Index short_seq_len() const;
  TrainerOptions trainer(std::uint64_t seed) const;

  /// `full`, limited to what binds a result: Binds::training for the weights, Binds::test to include the scores.
  Metadata text(Binds last) const;
  /// Whether its schedule or its lengths depend on the last step, so that fewer steps are not its beginning.
  bool depends_on_steps() const;
  /// What a checkpoint keeps: this text, the task's files, the seed, which steps are logged, and the hash of the data.
  Metadata metadata(std::uint64_t seed, Binds last = Binds::test) const;
  /// Whether the metadata of training say how the model is tested.
  bool is_tested_as_trained() const;

  /// The settings of the second stage of training: those of the first, overridden by finetune.….
  Settings second_stage() const;
};

}  // namespace ordinal::experiments
