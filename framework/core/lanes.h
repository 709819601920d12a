// Sums and the largest value of a row by whole vectors: as many of them as a vector has lanes, which meet in pairs at the
// end. After a loop with `#pragma omp simd reduction`, GCC adds the lanes one after the other, which takes longer than a
// short row.
#pragma once

#include <cstring>

#include "framework/core/tensor.h"

namespace ordinal {

/// 64 bytes of numbers: one vector of AVX-512, two of AVX2.
template <typename T>
struct Lanes {
  using Vector [[gnu::vector_size(64)]] = T;
  static constexpr Index count = 64 / static_cast<Index>(sizeof(T));

  Vector values;

  static Lanes at(const T* x) {
    Lanes lanes{};
    std::memcpy(&lanes.values, x, sizeof(lanes.values));
    return lanes;
  }

  void take_larger(const Lanes& x) { values = x.values > values ? x.values : values; }

  T sum() const { return fold<false>(); }
  T max() const { return fold<true>(); }

 private:
  // Halves with halves: (x₀ + x₈) + (x₄ + x₁₂) + …
  template <bool Largest>
  T fold() const {
    using Half [[gnu::vector_size(32)]] = T;
    using Quarter [[gnu::vector_size(16)]] = T;
    const auto join = [](T a, T b) { return Largest ? (a > b ? a : b) : a + b; };
    if constexpr (sizeof(T) == sizeof(float)) {
      const Half a = __builtin_shufflevector(values, values, 0, 1, 2, 3, 4, 5, 6, 7);
      const Half b = __builtin_shufflevector(values, values, 8, 9, 10, 11, 12, 13, 14, 15);
      const Half half = Largest ? (a > b ? a : b) : a + b;
      const Quarter c = __builtin_shufflevector(half, half, 0, 1, 2, 3);
      const Quarter d = __builtin_shufflevector(half, half, 4, 5, 6, 7);
      const Quarter quarter = Largest ? (c > d ? c : d) : c + d;
      return join(join(quarter[0], quarter[2]), join(quarter[1], quarter[3]));
    } else {
      const Half a = __builtin_shufflevector(values, values, 0, 1, 2, 3);
      const Half b = __builtin_shufflevector(values, values, 4, 5, 6, 7);
      const Half half = Largest ? (a > b ? a : b) : a + b;
      return join(join(half[0], half[2]), join(half[1], half[3]));
    }
  }
};

}  // namespace ordinal
