// metrics.jsonl: a JSON object for each logged step of a training.
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "experiments/process/folder_lock.h"
#include "experiments/results/result.h"
#include "framework/training/trainer.h"

namespace ordinal::experiments {

class TrainingLog {
 public:
  explicit TrainingLog(LockedPath path) : path_(std::move(path)) {}

  /// Reads the lines of a file up to `step`, the step of the checkpoint: a killed run may have logged more than it saved. Throws
  /// DataError if their hash is not `hash`, the one in the checkpoint. An empty hash or a file that was removed is not
  /// checked.
  void restore(const LockedPath& from, Index step, const std::string& hash);

  /// Drops the line of the step with which a training ended, if it is the last line: a longer one may not log that step.
  void forget(Index step);

  /// Writes the lines that it has; call it before append().
  void begin() const;

  /// Appends the line of a step. The loss and norm of a step that was not taken are null; so is the loss of one without a target.
  void append(Index step, const StepResult& result, double seconds);

  /// The hash of all lines without their times.
  std::string hash() const;
  /// (step, training loss in bits per token) of the steps up to `last` that have one.
  std::vector<std::pair<Index, double>> curve(Index last) const;
  /// How many steps in a row, up to `last`, were not taken.
  Index skipped(Index last) const;
  /// Seconds of training up to the last line.
  double seconds() const { return seconds_; }

 private:
  struct Line {
    Index step = 0;
    double bits = 0.0;
    bool taken = true;
    std::string text = {};
  };

  LockedPath path_;
  std::vector<Line> lines_;
  double seconds_ = 0.0;
};

}  // namespace ordinal::experiments
