// metrics.jsonl: a JSON object for each logged step of a training.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "framework/storage/folder_lock.h"
#include "framework/storage/hash.h"
#include "framework/training/trainer.h"

namespace ordinal::experiments {

class TrainingLog {
 public:
  explicit TrainingLog(LockedPath path) : path_(std::move(path)) {}

  /// Reads the lines up to `step`, the step of the checkpoint: a killed run may have logged more than it saved. Throws
  /// DataError if their hash is not `hash`, the one in the checkpoint. An empty hash or a file that was removed is not
  /// checked.
  void restore(Index step, const std::string& hash);

  /// Writes the lines that it has; call it before append().
  void begin() const;

  /// Appends the line of a step. The loss and norm of a step that was not taken are null.
  void append(Index step, const StepResult& result, double seconds);

  /// The hash of all lines without their times.
  std::string hash() const { return hash_.hex(); }
  /// (step, training loss in bits per token) of the steps up to `last` that were taken.
  std::vector<std::pair<Index, double>> curve(Index last) const;
  /// Mean gradient norm over these steps, before clipping; NaN without any.
  double gradient_norm(Index last) const;
  /// Seconds of training up to the last line.
  double seconds() const { return seconds_; }

 private:
  LockedPath path_;
  std::string restored_;
  Fnv1a64 hash_;
  std::vector<std::pair<Index, double>> curve_;
  std::vector<double> norms_;  // of each point of the curve
  double seconds_ = 0.0;
};

}  // namespace ordinal::experiments
