#include "framework/training/finite_probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ordinal {

template <typename T>
void FiniteProbe<T>::computed(std::string_view part, Direction direction, View<const T> x) {
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

template <typename T>
std::string FiniteProbe<T>::describe() const {
  return fmt::format("{}, {}: {}", part_, direction_ == Direction::forward ? "forward" : "backward",
                     is_nan_ ? "NaN" : "infinity");
}

ORDINAL_INSTANTIATE(FiniteProbe);

}  // namespace ordinal
