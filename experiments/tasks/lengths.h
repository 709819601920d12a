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

/// The options of all schemes; visit() gives those of one. `auto` is `uniform` for a task with Task::varies_length(), else
/// `fixed`; for the others see `--list`.
struct LengthOptions {
  std::string name = "auto";
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
  std::string definition = {};
  std::vector<OptionSpec> options = {};
};

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
  bool depends_on_steps() const { return options_.name == "growing"; }

  /// "and 256 in 5 % of the batches", "growing from 8 over 50 % of the steps"; empty for the other schemes.
  std::string mixture() const;

 private:
  bool draws(const Task& task) const;
  Index limit(std::uint32_t batch) const;

  LengthOptions options_;
  std::string task_name_;
  Index train_length_;
  Index batches_;
};

}  // namespace ordinal::experiments
