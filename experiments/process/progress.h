// Progress output: on a terminal one rewritten line for each training that runs, an occasional plain line elsewhere (also
// where TERM is dumb), nothing with --quiet.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "experiments/process/progress_line.h"
#include "framework/core/tensor.h"

namespace ordinal::experiments {

/// Threads may share one.
class Progress {
 public:
  /// Without `updates` only permanent lines.
  explicit Progress(bool quiet, bool updates = true);

  /// The progress of one of several trainings at once: it has a replaceable line of its own.
  Progress line(Index number) const;

  /// A permanent line.
  void say(const std::string& line);
  /// A line that the next one replaces. Off a terminal it is printed at most every ten seconds.
  void update(const std::string& line);
  /// The same; on a terminal with a bar and the course of the loss.
  void update(const TrainingStatus& status);
  /// Takes the replaceable line off the screen.
  void clear();
  /// Ends all replaceable lines.
  void finish_line();

 private:
  class Board;
  Progress(std::shared_ptr<Board> board, std::size_t number) : board_(std::move(board)), number_(number) {}

  std::shared_ptr<Board> board_;
  std::size_t number_ = 0;
};

/// Work at a steady rate: tokens per second and the remaining time.
class Pace {
 public:
  Pace();
  double seconds() const;
  /// "12 s", "3 min 20 s", "2 h 05 min" for the remainder of `total` units when `done` have been done since
  /// the start.
  std::string time_left(double done, double total) const;

 private:
  std::chrono::steady_clock::time_point start_;
};

/// "12 s", "3 min 20 s", "2 h 05 min".
std::string duration_text(double seconds);

}  // namespace ordinal::experiments
