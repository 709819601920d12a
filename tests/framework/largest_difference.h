// How far two arrays of numbers are apart.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>

namespace ordinal::testing {

/// max |a_i - b_i|; infinity for arrays of different lengths, or if anything is not a number.
double largest_difference(const auto& a, const auto& b) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (std::size(a) != std::size(b)) return infinity;
  double largest = 0.0;
  for (std::size_t i = 0; i < std::size(a); ++i) {
    const double difference = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
    largest = std::isnan(difference) ? infinity : std::max(largest, difference);
  }
  return largest;
}

}  // namespace ordinal::testing
