// What settings and a task come to: everything in effect for one training and the test of its model.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

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

/// A setting in which existing weights differ from those of a run, with both values.
struct Difference {
  std::string key;
  std::string there;
  std::string here;
};
/// All keys in which they differ; a value that names parts is cut to the parts and options in which they do. A missing value
/// is "nothing".
std::vector<Difference> all_differences(const Metadata& there, const Metadata& here);

/// The first key that has two values, if any. What one of them lacks, a key or an option of a part, may be of another version,
/// and a file may have moved: its hash counts.
std::optional<Difference> first_conflict(const Metadata& there, const Metadata& here);

/// The first one from `here`, the metadata of a training of `plan`, if any. A missing key has its default, and a file may have moved, since its hash is
/// compared. With `may_be_longer` the run may have more steps, provided that the learning rate does not
/// depend on the last one. Throws ConfigError for metadata that does not form valid settings.
std::optional<Difference> first_difference(const Metadata& there, const std::string& origin, const Plan& plan,
                                           const Metadata& here, Binds last, bool may_be_longer = false);

}  // namespace ordinal::experiments
