// Progress output: one rewritten line on a terminal, an occasional plain line elsewhere, nothing with
// --quiet.
#pragma once

#include <chrono>
#include <string>

#include "framework/core/tensor.h"

namespace ordinal::experiments {

class Progress {
 public:
  explicit Progress(bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// A permanent line.
  void say(const std::string& line);
  /// A line that the next one replaces. Off a terminal it is printed at most every ten seconds.
  void update(const std::string& line);
  /// Ends the current replaceable line.
  void finish_line();

 private:
  using Clock = std::chrono::steady_clock;

  bool quiet_;
  bool terminal_;
  bool line_open_ = false;
  Clock::time_point last_ = Clock::time_point::min();
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
