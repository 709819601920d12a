// Breaks down the time of a step by part of the model. Off unless a run asks for it.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <string_view>

#include "framework/core/pass.h"

namespace ordinal {

/// Seconds by part: "block.0.attention", "cross_entropy", …
using SecondsByPart = std::map<std::string, double>;

/// Adds up the time of one thread. The time of a part begins where that of the part before ended.
template <typename T>
class Stopwatch final : public RunObserver<T> {
 public:
  const SecondsByPart& seconds() const { return seconds_; }

  /// Discards the time since the last part: time between two runs belongs to neither.
  void start() { since_ = Clock::now(); }
  /// The time until now belongs to `part`.
  void end(std::string_view part) {
    const auto now = Clock::now();
    seconds_[std::string(part)] += std::chrono::duration<double>(now - since_).count();
    since_ = now;
  }
  void computed(std::string_view part, Direction /*direction*/, View<const T> /*x*/) override { end(part); }

 private:
  using Clock = std::chrono::steady_clock;

  SecondsByPart seconds_;
  Clock::time_point since_ = Clock::now();
};

}  // namespace ordinal
