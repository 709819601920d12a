// Breaks down the time of a step by part. Off unless a run requests it; then each layer reports what it is
// executing.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>

namespace ordinal {

/// What a thread may be doing. `other`: everything not attributed by a layer, such as residual sums.
enum class Work {
  other,
  products,
  attention,
  encoding,
  norms,
  activations,
  embedding,
  loss,
  reduction,
  optimizer
};
inline constexpr std::size_t work_count = 10;
inline constexpr std::array<const char*, work_count> work_names = {
    "other",       "products",  "attention", "encoding",  "norms",
    "activations", "embedding", "loss",      "reduction", "optimizer"};

/// Adds up the time that one thread spends in each part. Nested parts are exclusive: time counts only for the
/// innermost part.
class Stopwatch {
 public:
  /// Seconds by part.
  const std::array<double, work_count>& seconds() const { return seconds_; }

  /// Starts counting for `part`, and returns the part that was counted until now.
  Work switch_to(Work part) {
    const auto now = std::chrono::steady_clock::now();
    seconds_[static_cast<std::size_t>(part_)] += std::chrono::duration<double>(now - since_).count();
    since_ = now;
    const Work before = part_;
    part_ = part;
    return before;
  }
  /// Discards the time since the last switch: time between two runs belongs to neither.
  void start() {
    part_ = Work::other;
    since_ = std::chrono::steady_clock::now();
  }

 private:
  std::array<double, work_count> seconds_{};
  Work part_ = Work::other;
  std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
};

/// Attributes time to a part during its lifetime. Does nothing without a stopwatch.
class WorkTimer {
 public:
  WorkTimer(Stopwatch* stopwatch, Work part) : stopwatch_(stopwatch) {
    if (stopwatch_ != nullptr) before_ = stopwatch_->switch_to(part);
  }
  ~WorkTimer() {
    if (stopwatch_ != nullptr) stopwatch_->switch_to(before_);
  }
  WorkTimer(const WorkTimer&) = delete;
  WorkTimer& operator=(const WorkTimer&) = delete;

 private:
  Stopwatch* stopwatch_;
  Work before_ = Work::other;
};

}  // namespace ordinal
