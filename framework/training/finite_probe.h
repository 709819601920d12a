// Finds where the numbers of a run first become infinite or NaN.
#pragma once

#include <string>
#include <string_view>

#include "framework/core/pass.h"

namespace ordinal {

template <typename T>
class FiniteProbe final : public RunObserver<T> {
 public:
  void computed(std::string_view part, Direction direction, View<const T> x) override;

  /// Whether something was infinite or NaN.
  bool found() const { return !part_.empty(); }
  /// "block.0.attention, forward: NaN"
  std::string describe() const;
  /// sequence · seq_len + token
  Index row() const { return row_; }

 private:
  std::string part_;
  Direction direction_ = Direction::forward;
  Index row_ = 0;
  bool is_nan_ = false;
};

}  // namespace ordinal
