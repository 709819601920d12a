// Functions of one number, for the loops that the compiler vectorises: see math/vector_math.h. The float functions are polynomials
// with stated bounds, several times faster than a library call; the double ones call the C library and have its full precision.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>

#include "framework/math/lanes.h"

namespace ordinal::vmath {

// a b + c, rounded once where the processor can do that in one instruction.
inline float fused(float a, float b, float c) { return has_fma ? std::fma(a, b, c) : a * b + c; }

// c[0] + c[1] x + c[2] x² + …, unrolled: GCC does not vectorise a loop that contains such a loop.
template <std::size_t n>
float polynomial(const std::array<float, n>& c, float x) {
  return [&]<std::size_t... i>(std::index_sequence<i...>) {
    float y = c[n - 1];
    ((y = fused(y, x, c[n - 2 - i])), ...);
    return y;
  }
  (std::make_index_sequence<n - 1>());
}

// exp(x) = 2^n exp(r), n = round(x / ln 2), |r| <= ln 2 / 2; exp(r) uses the degree-6 polynomial with the
// smallest relative error, 2e-9 before rounding.
// Adding 1.5 * 2^23 rounds to a whole number without a call and leaves it in the low bits of the sum. The exponent
// comes from those bits, because converting a NaN to an integer would be undefined. Splitting ln 2 into two parts
// keeps r exact.
inline float exp_one(float x) {
  constexpr float round_shift = 12582912.0F;
  constexpr float ln2_high = 0.693359375F;
  constexpr float ln2_low = -2.12194440e-4F;
  const float clamped = std::min(std::max(x, -87.0F), 88.0F);
  const float shifted = fused(clamped, std::numbers::log2e_v<float>, round_shift);
  const float n = shifted - round_shift;
  const float r = fused(-n, ln2_low, fused(-n, ln2_high, clamped));
  constexpr std::array<float, 7> of_exp = {1.0F,         1.0F,         0.4999999F,   0.1666642F,
                                           0.041668225F, 0.008374816F, 0.0013836846F};
  const std::uint32_t exponent = (std::bit_cast<std::uint32_t>(shifted) + 127U) << 23U;
  const float y = polynomial(of_exp, r) * std::bit_cast<float>(exponent);
  return x < -87.0F ? 0.0F : y;
}

inline double exp_one(double x) { return std::exp(x); }

template <typename T>
T logistic(T x) {
  return T(1) / (T(1) + exp_one(-x));
}

// ln(1 + e^x) = max(x, 0) + ln(1 + y), y = e^-|x|; with z = y/(2 + y), ln(1 + y) = 2 (z + z³/3 + z⁵/5 + …), z <= 1/3; the rest
// is 1e-8.
inline float softplus_one(float x) {
  constexpr std::array<float, 7> series = {1.0F,     1.0F / 3,  1.0F / 5, 1.0F / 7,
                                           1.0F / 9, 1.0F / 11, 1.0F / 13};
  const float y = exp_one(-std::abs(x));
  const float z = y / (2.0F + y);
  return std::max(x, 0.0F) + 2.0F * z * polynomial(series, z * z);
}

inline double softplus_one(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

// 2 σ(2x) - 1, and near 0, where that cancels, the series x - x³/3 + 2x⁵/15 - 17x⁷/315 + 62x⁹/2835; the rest is 5e-8 x.
inline float tangent(float x) {
  constexpr std::array<float, 5> series = {1.0F, -1.0F / 3, 2.0F / 15, -17.0F / 315, 62.0F / 2835};
  const float near = x * polynomial(series, x * x);
  const float far = 2.0F * logistic(2.0F * x) - 1.0F;
  return -0.3F < x && x < 0.3F ? near : far;
}

inline double tangent(double x) { return std::tanh(x); }

inline float clamp(float x, float limit) { return std::min(std::max(x, -limit), limit); }

// The normal distribution Φ(x) = 1/2 + x P(x²)/Q(x²), the rational function with the smallest absolute error on
// |x| <= 5.5: 8e-9 before rounding. Φ(-5.5) is 2e-8, less than half an ulp of 1/2; below -5.5, Φ is 0.
inline float normal_cdf(float x) {
  constexpr std::array<float, 6> p = {0.39894223F,   0.033852626F,  0.0046772594F,
                                      1.6882549e-4F, 6.3521165e-6F, 2.2749417e-8F};
  constexpr std::array<float, 6> q = {1.0F,          0.25152186F,   0.02864586F,
                                      0.0018844438F, 7.3647439e-5F, 1.1975053e-6F};
  constexpr float limit = 5.5F;
  const float c = clamp(x, limit);
  const float y = 0.5F + c * polynomial(p, c * c) / polynomial(q, c * c);
  return x < -limit ? 0.0F : y;
}

inline double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

// d/dx x Φ(x) = Φ(x) + x φ(x), as a rational function of the same kind on |x| <= 6: 5e-9 before rounding.
inline float gelu_derivative(float x) {
  constexpr std::array<float, 8> p = {0.79788452F,   -0.01803712F,  0.013568982F,   2.852394e-4F,
                                      3.2027307e-5F, 1.1219715e-6F, 1.30031541e-8F, -2.8879977e-11F};
  constexpr std::array<float, 7> q = {1.0F,          0.31072667F,   0.045583155F, 0.0041502677F,
                                      2.5861009e-4F, 1.0812498e-5F, 3.6364378e-7F};
  const float c = clamp(x, 6.0F);
  return 0.5F + c * polynomial(p, c * c) / polynomial(q, c * c);
}

inline double gelu_derivative(double x) {
  constexpr double inverse_sqrt_2pi = std::numbers::inv_sqrtpi / std::numbers::sqrt2;
  return normal_cdf(x) + x * inverse_sqrt_2pi * std::exp(-0.5 * x * x);
}

/// The activation functions f, and dx = f'(x) dy. With s the logistic function, Φ and φ the standard normal distribution and
/// density. float: absolute error below 5e-7 times max(1, |x|).
///
/// f = x Φ(x), f' = Φ(x) + x φ(x).
template <typename T>
struct Gelu {
  static T value(T x) { return x * normal_cdf(x); }
  static T backward(T x, T dy) { return dy * gelu_derivative(x); }
};

/// f = x s(2u), u = √(2/π) (x + 0.044715 x³), f' = s(2u) + 2 x u' s(2u) (1 - s(2u)). 0.5 (1 + tanh u) is s(2u).
template <typename T>
struct GeluTanh {
  static constexpr T slope = T(2) * std::numbers::sqrt2_v<T> * std::numbers::inv_sqrtpi_v<T>;
  static constexpr T cubic = T(0.044715);

  static T value(T x) { return x * logistic(slope * (x + cubic * x * x * x)); }
  static T backward(T x, T dy) {
    const T square = x * x;
    const T s = logistic(slope * x * (T(1) + cubic * square));
    return dy * (s + x * (slope * (T(1) + T(3) * cubic * square)) * s * (T(1) - s));
  }
};

/// f = x s(x), f' = s(x) (1 + x (1 - s(x))).
template <typename T>
struct Silu {
  static T value(T x) { return x * logistic(x); }
  static T backward(T x, T dy) {
    const T s = logistic(x);
    return dy * s * (T(1) + x * (T(1) - s));
  }
};

/// f = max(x, 0), f' = 1 where x > 0, else 0.
template <typename T>
struct Relu {
  static T value(T x) { return x > T(0) ? x : T(0); }
  static T backward(T x, T dy) { return x > T(0) ? dy : T(0); }
};

}  // namespace ordinal::vmath
