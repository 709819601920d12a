// The largest error of numbers, which every test uses that bounds one: std::max() and std::max_element() may pass over a NaN.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "framework/core/tensor.h"

namespace ordinal::testing {

/// The larger of two errors; infinite if one of them is NaN, so that every bound fails.
inline double larger_error(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? std::numeric_limits<double>::infinity() : std::max(a, b);
}

/// max |a_i - b_i|; infinite if the sizes differ or a difference is NaN.
inline double largest_difference(const auto& a, const auto& b) {
  if (std::size(a) != std::size(b)) return std::numeric_limits<double>::infinity();
  double largest = 0.0;
  for (std::size_t i = 0; i < std::size(a); ++i)
    largest = larger_error(largest, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  return largest;
}

template <typename T>
double largest_difference(const Tensor<T>& a, const Tensor<T>& b) {
  return largest_difference(a.span(), b.span());
}

}  // namespace ordinal::testing
