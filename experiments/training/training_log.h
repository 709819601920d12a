// metrics.jsonl: a JSON object for each logged step of a training.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "experiments/results/statistics.h"
#include "framework/storage/folder_lock.h"
#include "framework/storage/hash.h"
#include "framework/training/trainer.h"

namespace ordinal::experiments {

class TrainingLog {
 public:
  explicit TrainingLog(LockedPath path) : path_(std::move(path)) {}

  /// Keeps the lines up to `step`, the step of the checkpoint: a killed run may have logged more than it saved. Throws
  /// DataError if they do not have `hash`, that of the checkpoint; an empty one is not compared, nor is a file that was
  /// removed.
  void restore(Index step, const std::string& hash);

  /// Adds the line of a step. The loss and norm of one that was not taken are null.
  void append(Index step, const StepResult& result, double seconds);

  /// Of all lines, but for the times in them.
  std::string hash() const { return hash_.hex(); }
  /// (step, training loss in bits per token) of the steps up to `last` that were taken.
  std::vector<std::pair<Index, double>> curve(Index last) const;
  /// Mean norm of the gradient over these steps, before clipping; NaN without any.
  double gradient_norm(Index last) const;
  /// Seconds of training up to the last line.
  double seconds() const { return seconds_; }

 private:
  LockedPath path_;
  Fnv1a64 hash_;
  std::vector<std::pair<Index, double>> curve_;
  std::vector<double> norms_;  // of each point of the curve
  double seconds_ = 0.0;
};

}  // namespace ordinal::experiments
