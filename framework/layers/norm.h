// What the norms share: their option, 1/√ of a mean square, and sums over a row.
#pragma once

#include <array>
#include <cmath>
#include <limits>

#include "framework/core/options.h"
#include "framework/math/lanes.h"

namespace ordinal {

struct NormOptions {
  double epsilon = 1e-5;
  void visit(OptionVisitor& v) {
    constexpr double least = 1e-30;  // in float, neither it nor 1/√ε is 0 or infinite
    v.number("epsilon", epsilon, at_least(least),
             "ε, added to the variance or the mean square, which may be 0; at least 1e-30", Binds::training);
  }
};

/// 1/√(squares/d + ε) of a row of d numbers; NaN if the squares overflow, since the row would become 0, and hide that it is too large.
template <typename T>
T inverse_root(T squares, Index d, T epsilon) {
  return squares <= std::numeric_limits<T>::max() ? T(1) / std::sqrt(squares / static_cast<T>(d) + epsilon)
                                                  : std::numeric_limits<T>::quiet_NaN();
}

/// Sums over a row of d columns. `add(c, sums)` adds the terms of column c, or of as many columns from c on as a vector holds: each sum
/// is a T or a Lanes<T>.
template <typename T, std::size_t count>
std::array<T, count> row_sums(Index d, const auto& add) {
  std::array<Lanes<T>, count> lanes;
  Index c = 0;
  for (; c + Lanes<T>::count <= d; c += Lanes<T>::count) add(c, lanes);
  std::array<T, count> sums;
  for (std::size_t i = 0; i < count; ++i) sums[i] = lanes[i].sum();
  for (; c < d; ++c) add(c, sums);
  return sums;
}

}  // namespace ordinal
