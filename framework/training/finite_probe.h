// Finds where the numbers of a run first become infinite or NaN.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "framework/core/pass.h"

namespace ordinal {

template <typename T>
class FiniteProbe final : public RunObserver<T> {
 public:
  void computed(std::string_view part, Direction direction, View<const T> x) override {
    for (Index r = 0; r < x.rows && !found(); ++r) {
      const T* row = x.row(r);
      const T* first = std::find_if(row, row + x.cols, [](T number) { return !std::isfinite(number); });
      if (first == row + x.cols) continue;
      part_ = part;
      direction_ = direction;
      row_ = r;
      is_nan_ = std::isnan(*first);
    }
  }

  /// Whether something was infinite or NaN.
  bool found() const { return !part_.empty(); }
  /// "block.0.attention, forward: NaN"
  std::string describe() const {
    return fmt::format("{}, {}: {}", part_, direction_ == Direction::forward ? "forward" : "backward",
                       is_nan_ ? "NaN" : "infinity");
  }
  /// Where the forward and backward run of some sequences first became infinite or NaN, "block.0.attention, forward: NaN for
  /// example 3, token 12"; empty if nowhere. `first_example` is the number of the first sequence.
  std::string describe_run(double loss, const Parameters<T>& gradients, Index first_example,
                           Index seq_len) const {
    if (found()) {
      return fmt::format("{} for example {}, token {}", describe(), first_example + row_ / seq_len,
                         row_ % seq_len);
    }
    if (!std::isfinite(loss)) return "cross_entropy, forward: the loss";
    const std::string parameter = first_not_finite(gradients);
    return parameter.empty() ? "" : fmt::format("{}, backward: its gradient", parameter);
  }

 private:
  std::string part_;
  Direction direction_ = Direction::forward;
  Index row_ = 0;  // sequence · seq_len + token
  bool is_nan_ = false;
};

}  // namespace ordinal
