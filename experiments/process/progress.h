// Progress output: on a terminal one rewritten line for each training that runs, an occasional plain line elsewhere (also
// where TERM is dumb), nothing with --quiet.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "framework/core/tensor.h"

namespace ordinal::experiments {

/// The losses of a training so far, as at most 64 means over equally many steps.
class LossCourse {
 public:
  /// A loss that is not finite is left out.
  void add(double loss);
  /// Oldest first.
  const std::vector<double>& means() const { return means_; }

 private:
  std::vector<double> means_;
  Index steps_in_mean_ = 1;
  Index steps_ = 0;  // of the mean that is not complete
  double sum_ = 0.0;
};

/// A training after some step.
struct TrainingStatus {
  std::string label;
  Index step = 0;
  Index steps = 0;    // of the whole training
  double loss = 0.0;  // bits per token
  double tokens_per_second = 0.0;
  std::string time_left;
  std::vector<double> losses = {};  // see LossCourse::means()
};

/// "rope  step 20/1500  loss 3.123 bits  12345 tokens/s  1 min 20 s left".
std::string plain_line(const TrainingStatus& status);

/// The same with a bar and a sparkline, at most `columns` wide: what does not fit is left out.
std::string drawn_line(const TrainingStatus& status, std::size_t columns);

/// A text cut to `columns`.
std::string fitted(const std::string& text, std::size_t columns);

/// One character for each value, or for each of `columns` groups of neighbours: ▁ for the lowest to █ for the highest.
std::string sparkline(const std::vector<double>& values, std::size_t columns);

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
  double seconds() const;
  /// "12 s", "3 min 20 s", "2 h 05 min" for the remainder of `total` units when `done` have been done since
  /// the start.
  std::string time_left(double done, double total) const;

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// "12 s", "3 min 20 s", "2 h 05 min".
std::string duration_text(double seconds);

}  // namespace ordinal::experiments
