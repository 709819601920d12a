// Progress output. On a terminal: one line per running training, rewritten in place. Elsewhere (also if TERM is dumb): an
// occasional plain line. With --quiet: nothing.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "framework/core/tensor.h"

namespace ordinal::experiments {

/// The mean of the last values of a training: of all of them at first, then of about 20, the latest of which count most.
class RecentMean {
 public:
  /// Ignores a value that is not finite.
  void add(double value);
  double value() const { return value_; }

 private:
  double value_ = 0.0;
  Index count_ = 0;
};

/// The state of a training after a step.
struct TrainingStatus {
  std::string label;
  Index step = 0;
  Index steps = 0;    // of the whole training
  double loss = 0.0;  // bits per token, mean over the last steps
  double tokens_per_second = 0.0;
  std::string time_left;
};

/// "rope  step 20/1500  1 min 20 s left  loss 3.123 bits  12345 tokens/s".
std::string status_line(const TrainingStatus& status);

/// A text cut to `columns`.
std::string fitted(const std::string& text, std::size_t columns);

/// Safe to share between threads.
class Progress {
 public:
  explicit Progress(bool quiet);

  /// The progress of one of several parallel trainings, with its own replaceable line.
  Progress line(Index number) const;

  /// Prints a permanent line.
  void say(const std::string& line);
  /// Prints a line that the next update replaces. Without a terminal, prints at most every ten seconds.
  void update(const std::string& line);
  /// Removes the replaceable line from the screen.
  void clear();
  /// Redraws all replaceable lines once more, and leaves them on the screen.
  void finish_line();

 private:
  class Board;
  Progress(std::shared_ptr<Board> board, std::size_t number) : board_(std::move(board)), number_(number) {}

  std::shared_ptr<Board> board_;
  std::size_t number_ = 0;
};

/// Work at a steady rate: the elapsed and the remaining time.
class Pace {
 public:
  double seconds() const;
  /// The time for the rest of `total` units, of which `done` have been done since the start: "12 s",
  /// "3 min 20 s", "2 h 05 min".
  std::string time_left(double done, double total) const;

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// "12 s", "3 min 20 s", "2 h 05 min".
std::string duration_text(double seconds);

}  // namespace ordinal::experiments
