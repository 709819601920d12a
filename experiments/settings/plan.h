// Resolves settings and a task: the parts that keys name, each with the options that are set in its brackets or by their
// keys, and everything in effect for one training and the test of its model. An option in brackets overrides its key, and
// a key overrides the part's default.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

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

/// The keys that parts read: rope(base=500) does not read positional.base.
struct Reads {
  std::set<std::string> keys;
  std::map<std::string, std::set<std::string>> inlined;  // by key, the parts that set it themselves
};

/// A part whose unset options are taken from their keys (positional.base, …), where those are given. Files stay in their
/// key. For training, an option that only the test reads can be set only in brackets.
Part with_keys(Part part, const PartKind& kind, const Settings& settings, bool of_training = false,
               Reads* reads = nullptr);

/// The parts that a key names, with their options in effect. Positions given with the encoding override their keys. Test
/// positions `same` are those of training. Throws ConfigError for more than encoding@training:test.
std::vector<Part> parts_in_effect(const Settings& settings, const std::string& name, Reads* reads = nullptr);
/// The same as text: "adamw(beta2=0.99)".
std::string in_effect(const Settings& settings, const std::string& key);

/// The keys of options and of positions that the parts in use read.
Reads reads_of(const Settings& settings);

/// The settings with the positions of positional.encoding = rope@yarn:ntk moved to their keys.
Settings split_entry(Settings settings);

/// The encoding and its positions in effect. Lengths are not resolved yet.
struct PositionalChoice {
  std::string encoding;
  PositionScheme training;
  PositionScheme test;
};
/// Throws ConfigError for an unknown encoding or scheme, or a scheme that does not apply to the encoding.
PositionalChoice positional_choice(const Settings& settings);

/// The value of finetune.encoding with its options; empty if the trained encoding stays.
std::string exchanged_encoding(const Settings& settings);

/// A condition of evaluate.conditions with its options.
std::string condition_text(const Settings& settings, const std::string& condition);

/// The task with its options and files.
Part task_part(const Settings& settings);

/// The training lengths, with their options. Throws ConfigError for options that do not fit task.train_length.
LengthScheme training_lengths(const Settings& settings);

/// What the task needs of a model.
Direction task_direction(const Settings& settings);

/// The section model in effect; model.causal = auto is what the task needs.
ModelConfig model_section(const Settings& settings);

struct Plan {
  /// A learned table is sized for the positions of training, or with overflow = untrained, for the longest length of
  /// evaluate.lengths. Without a task, it is the plan of a checkpoint or a parity file: model.vocab_size must be set, and
  /// nothing is trained. Throws ConfigError for positions that the encoding cannot use and for a vocabulary smaller than
  /// the task's; other errors are found when the model is built.
  explicit Plan(const Settings& given, std::shared_ptr<const Task> of = nullptr);

  Settings settings;
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
  /// What a checkpoint keeps: the full text, the task's files, the seed, which steps are logged, and the hash of the data.
  Metadata metadata(std::uint64_t seed) const;

  /// The settings of the second stage of training: those of the first, overridden by finetune.….
  Settings second_stage() const;
};

}  // namespace ordinal::experiments
