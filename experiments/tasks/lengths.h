// Which lengths training uses. All sequences of a batch have the same length. It is a function of the seed and the batch
// number, so a resumed run draws the lengths of an uninterrupted one. Tests use the lengths of evaluate.lengths instead.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "experiments/tasks/task.h"
#include "framework/core/part.h"
#include "framework/core/registry.h"

namespace ordinal::experiments {

/// With L = task.train_length and batches b = 0 … B - 1, where B = train.steps · train.accumulate:
///   fixed    L
///   uniform  one of 1 … L, all equally likely
///   auto     uniform for a task with Task::varies_length(), else fixed
///   mixed    with probability `share` exactly `longest`, else as auto: length priming, Jelassi et al. 2023
///            (arXiv 2306.15400), who add 10 to 50 long examples to a training set of short ones
///   growing  as auto with L_b in place of L: with G = until · B, rounded with halves up,
///            L_b = from + ⌊(L - from) · b / (G - 1)⌋ for b < G - 1, and L after that
/// `mixed` never shows the lengths between L and `longest`.
struct LengthOptions {
  enum class Kind { automatic, fixed, uniform, mixed, growing };
  Kind kind = Kind::automatic;
  Index longest = 256;
  double share = 0.05;
  Index from = 8;
  double until = 0.5;

  void visit(OptionVisitor& v);
};

/// Describes a scheme.
struct LengthEntry {
  std::string name;
  std::string summary;
  std::vector<OptionSpec> options;
  std::string definition = {};
};

/// In the order of LengthOptions::Kind.
const Registry<LengthEntry>& length_schemes();

class LengthScheme {
 public:
  /// The scheme that `part` names, for training on `batches` batches of the task `task_name`. Throws ConfigError for an unknown
  /// name or option, for `longest` not above train_length, and for `from` above it.
  LengthScheme(const Part& part, std::string task_name, Index train_length, Index batches);

  /// The longest length of training: train_length, or more if long batches are mixed in.
  Index longest() const;
  bool has_long_batches() const { return longest() > train_length_; }

  /// Whether batches may be shorter than train_length.
  bool has_short_batches(const Task& task) const;

  /// The length of a batch.
  Index at(const Task& task, std::uint64_t seed, std::uint32_t batch) const;

  /// The lengths that seed 1 draws, each with its share of the batches, from at most 10,000 evenly spaced batches.
  std::map<Index, double> shares(const Task& task) const;

  /// Whether the length of a batch depends on the number of batches.
  bool depends_on_steps() const { return options_.kind == LengthOptions::Kind::growing; }

  /// "and 256 in 5 % of the batches", "growing from 8 over 50 % of the steps"; empty for the other schemes.
  std::string mixture() const;

 private:
  Index limit(std::uint32_t batch) const;

  LengthOptions options_;
  std::string task_name_;
  Index train_length_;
  Index batches_;
};

}  // namespace ordinal::experiments
