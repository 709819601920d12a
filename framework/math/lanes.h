// Sums and the maximum of a row, with the same bits for any vector width. They process 64 bytes of numbers at a time and
// combine the lanes in pairs at the end. With `#pragma omp simd reduction`, the compiler would choose the order.
#pragma once

#include <array>
#include <cstring>

#include "framework/core/tensor.h"

namespace ordinal {

/// Whether a product and a sum are one instruction that rounds once.
#if defined(__FMA__) || defined(__aarch64__)
inline constexpr bool has_fma = true;
#else
inline constexpr bool has_fma = false;
#endif

/// Bytes per vector. The compiler would keep wider vectors in memory.
#if defined(__AVX512F__)
inline constexpr Index vector_bytes = 64;
#elif defined(__AVX__)
inline constexpr Index vector_bytes = 32;
#else
inline constexpr Index vector_bytes = 16;
#endif

/// Vectors of numbers. (GCC 12 loses what it knows about a vector whose element is a template parameter.)
template <typename T>
struct VectorsOf;
template <>
struct VectorsOf<float> {
  using Native [[gnu::vector_size(vector_bytes)]] = float;
  using Half [[gnu::vector_size(32)]] = float;
  using Quarter [[gnu::vector_size(16)]] = float;
};
template <>
struct VectorsOf<double> {
  using Native [[gnu::vector_size(vector_bytes)]] = double;
  using Half [[gnu::vector_size(32)]] = double;
  using Quarter [[gnu::vector_size(16)]] = double;
};

/// 64 bytes of numbers, in one or more vectors.
template <typename T>
class Lanes {
 public:
  static constexpr Index count = 64 / static_cast<Index>(sizeof(T));

  static Lanes at(const T* x) {
    Lanes lanes;
    for (std::size_t i = 0; i < vectors; ++i) std::memcpy(&lanes.vectors_[i], x + i * width, vector_bytes);
    return lanes;
  }

  void store(T* x) const {
    for (std::size_t i = 0; i < vectors; ++i) std::memcpy(x + i * width, &vectors_[i], vector_bytes);
  }

  friend Lanes operator+(const Lanes& a, const Lanes& b) {
    return combined(a, b, [](auto x, auto y) { return x + y; });
  }
  friend Lanes operator*(const Lanes& a, const Lanes& b) {
    return combined(a, b, [](auto x, auto y) { return x * y; });
  }
  friend Lanes operator-(const Lanes& a, T b) {
    return combined(a, a, [b](auto x, auto /*x*/) { return x - b; });
  }
  friend Lanes operator*(const Lanes& a, T b) {
    return combined(a, a, [b](auto x, auto /*x*/) { return x * b; });
  }
  friend Lanes larger(const Lanes& a, const Lanes& b) { return combined(a, b, larger_of); }

  T sum() const {
    return folded([](auto x, auto y) { return x + y; });
  }
  T max() const { return folded(larger_of); }

 private:
  using Vector = typename VectorsOf<T>::Native;
  static constexpr std::size_t vectors = 64 / vector_bytes;
  static constexpr std::size_t width = vector_bytes / sizeof(T);

  static constexpr auto larger_of = [](auto x, auto y) { return y > x ? y : x; };

  template <typename F>
  static Lanes combined(const Lanes& a, const Lanes& b, const F& f) {
    Lanes result;
    for (std::size_t i = 0; i < vectors; ++i) result.vectors_[i] = f(a.vectors_[i], b.vectors_[i]);
    return result;
  }

  // Combines halves with halves: for sixteen numbers, (x₀ + x₈) + (x₄ + x₁₂) + …
  template <typename F>
  T folded(const F& f) const {
    std::array<Vector, vectors> all = vectors_;
    for (std::size_t half = vectors / 2; half > 0; half /= 2) {
      for (std::size_t i = 0; i < half; ++i) all[i] = f(all[i], all[i + half]);
    }
    return folded(all[0], f);
  }

  template <typename V, typename F>
  static T folded(const V& v, const F& f) {
    if constexpr (sizeof(V) == 64) {
      return folded_halves<typename VectorsOf<T>::Half>(v, f);
    } else if constexpr (sizeof(V) == 32) {
      return folded_halves<typename VectorsOf<T>::Quarter>(v, f);
    } else if constexpr (sizeof(T) == sizeof(float)) {
      return f(f(v[0], v[2]), f(v[1], v[3]));
    } else {
      return f(v[0], v[1]);
    }
  }

  template <typename H, typename V, typename F>
  static T folded_halves(const V& v, const F& f) {
    std::array<H, 2> halves{};
    std::memcpy(halves.data(), &v, sizeof(v));
    return folded(f(halves[0], halves[1]), f);
  }

  std::array<Vector, vectors> vectors_{};
};

/// Reads or writes a number, a vector or Lanes, for code that is the same for all of them.
template <typename V, typename T>
V load(const T* x) {
  if constexpr (requires { V::at(x); }) {
    return V::at(x);
  } else {
    V values;
    std::memcpy(&values, x, sizeof(values));
    return values;
  }
}
template <typename V, typename T>
void store(const V& values, T* x) {
  if constexpr (requires { values.store(x); }) values.store(x);
  if constexpr (!requires { values.store(x); }) std::memcpy(x, &values, sizeof(values));
}

}  // namespace ordinal
