// The largest difference of two arrays of numbers.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "framework/core/tensor.h"

namespace ordinal::testing {

/// max |a_i - b_i|; infinite if the sizes differ or a difference is NaN, so that every bound fails.
inline double largest_difference(const auto& a, const auto& b) {
  if (std::size(a) != std::size(b)) return std::numeric_limits<double>::infinity();
  double largest = 0.0;
  for (std::size_t i = 0; i < std::size(a); ++i) {
    const double difference = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
    if (!(difference <= largest))
      largest = std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
  }
  return largest;
}

template <typename T>
double largest_difference(const Tensor<T>& a, const Tensor<T>& b) {
  return largest_difference(a.span(), b.span());
}

}  // namespace ordinal::testing
