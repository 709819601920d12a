#include "framework/math/vector_math.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>

#include "framework/math/lanes.h"

namespace ordinal::vmath {
namespace {

// a b + c, rounded once where the processor can do that in one instruction.
inline float fused(float a, float b, float c) { return has_fma ? std::fma(a, b, c) : a * b + c; }

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
  float p = 0.0013836846F;
  p = fused(p, r, 0.008374816F);
  p = fused(p, r, 0.041668225F);
  p = fused(p, r, 0.1666642F);
  p = fused(p, r, 0.4999999F);
  p = fused(p, r, 1.0F);
  p = fused(p, r, 1.0F);
  const std::uint32_t exponent = (std::bit_cast<std::uint32_t>(shifted) + 127U) << 23U;
  const float y = p * std::bit_cast<float>(exponent);
  return x < -87.0F ? 0.0F : y;
}

inline double exp_one(double x) { return std::exp(x); }

template <typename T>
inline T logistic(T x) {
  return T(1) / (T(1) + exp_one(-x));
}

// c[0] + c[1] x + c[2] x² + …, unrolled: GCC does not vectorise a loop that contains such a loop.
template <std::size_t n>
inline float polynomial(const std::array<float, n>& c, float x) {
  return [&]<std::size_t... i>(std::index_sequence<i...>) {
    float y = c[n - 1];
    ((y = fused(y, x, c[n - 2 - i])), ...);
    return y;
  }
  (std::make_index_sequence<n - 1>());
}

inline float clamp(float x, float limit) { return std::min(std::max(x, -limit), limit); }

// ln(1 + u) for u in [0, 1] is 2 artanh(s) = 2 (s + s³/3 + s⁵/5 + …) with s = u/(2 + u) <= 1/3; the rest is 3e-10.
inline float log_of_one_plus(float u) {
  constexpr std::array<float, 9> odd = {1.0F,      1.0F / 3,  1.0F / 5,  1.0F / 7, 1.0F / 9,
                                        1.0F / 11, 1.0F / 13, 1.0F / 15, 1.0F / 17};
  const float s = u / (2.0F + u);
  return 2.0F * s * polynomial(odd, s * s);
}

inline double log_of_one_plus(double u) { return std::log1p(u); }

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

// 2u = 2 √(2/π) (x + 0.044715 x³): then 0.5 (1 + tanh u) = s(2u).
template <typename T>
constexpr T gelu_slope = T(2) * std::numbers::sqrt2_v<T>* std::numbers::inv_sqrtpi_v<T>;
template <typename T>
constexpr T gelu_cubic = T(0.044715);

}  // namespace

template <typename T>
T exp_shifted(const T* x, T shift, T* y, Index n) {
#pragma omp simd
  for (Index i = 0; i < n; ++i) y[i] = exp_one(x[i] - shift);
  return sum(y, n);
}

template <typename T>
SoftmaxSums<T> softmax_exponentials(T* row, Index n) {
  const T largest = max(row, n);
  return {largest, exp_shifted(row, largest, row, n)};
}

template <typename T>
T max(const T* x, Index n) {
  constexpr Index lanes = Lanes<T>::count;
  T largest = x[0];
  Index i = 0;
  if (n >= lanes) {
    Lanes<T> all = Lanes<T>::at(x);
    for (i = lanes; i + lanes <= n; i += lanes) all = larger(all, Lanes<T>::at(x + i));
    largest = all.max();
  }
  for (; i < n; ++i) largest = x[i] > largest ? x[i] : largest;
  return largest;
}

template <typename T>
T sum(const T* x, Index n) {
  constexpr Index lanes = Lanes<T>::count;
  Lanes<T> all{};
  Index i = 0;
  for (; i + lanes <= n; i += lanes) all = all + Lanes<T>::at(x + i);
  T rest = T(0);
  for (; i < n; ++i) rest += x[i];
  return all.sum() + rest;
}

template <typename T>
T dot(const T* x, const T* y, Index n) {
  constexpr Index lanes = Lanes<T>::count;
  Lanes<T> all{};
  Index i = 0;
  for (; i + lanes <= n; i += lanes) all = all + Lanes<T>::at(x + i) * Lanes<T>::at(y + i);
  T rest = T(0);
  for (; i < n; ++i) rest += x[i] * y[i];
  return all.sum() + rest;
}

template <typename T>
T squares(const T* x, T mean, Index n) {
  constexpr Index lanes = Lanes<T>::count;
  Lanes<T> all{};
  Index i = 0;
  for (; i + lanes <= n; i += lanes) {
    const Lanes<T> deviation = Lanes<T>::at(x + i) - mean;
    all = all + deviation * deviation;
  }
  T rest = T(0);
  for (; i < n; ++i) rest += (x[i] - mean) * (x[i] - mean);
  return all.sum() + rest;
}

template <typename T>
void add_scaled(T a, const T* x, T* y, Index n) {
#pragma omp simd
  for (Index i = 0; i < n; ++i) y[i] += a * x[i];
}

template <typename T>
void scale(T a, T* y, Index n) {
#pragma omp simd
  for (Index i = 0; i < n; ++i) y[i] *= a;
}

template <typename T>
void add(const T* x, const T* y, T* z, Index n) {
#pragma omp simd
  for (Index i = 0; i < n; ++i) z[i] = x[i] + y[i];
}

// Four rows at a time, so that y is read and written a quarter as often.
template <typename T>
void add_rows(View<const T> x, T* y) {
  const Index together = x.rows / 4 * 4;
  for (Index r = 0; r < together; r += 4) {
    const T* a = x.row(r);
    const T* b = x.row(r + 1);
    const T* c = x.row(r + 2);
    const T* d = x.row(r + 3);
#pragma omp simd
    for (Index i = 0; i < x.cols; ++i) y[i] += (a[i] + b[i]) + (c[i] + d[i]);
  }
  for (Index r = together; r < x.rows; ++r) add(y, x.row(r), y, x.cols);
}

template <typename T>
void row_times(const T* x, View<const T> a, T* y) {
  constexpr Index lanes = Lanes<T>::count;
  Index i = 0;
  for (; i + lanes <= a.cols; i += lanes) {
    Lanes<T> sum{};
    for (Index r = 0; r < a.rows; ++r) sum = sum + Lanes<T>::at(a.row(r) + i) * x[r];
    sum.store(y + i);
  }
  for (; i < a.cols; ++i) {
    y[i] = T(0);
    for (Index r = 0; r < a.rows; ++r) y[i] += a(r, i) * x[r];
  }
}

template <typename T>
void times_column(View<const T> a, const T* x, T* y) {
  for (Index r = 0; r < a.rows; ++r) y[r] = dot(a.row(r), x, a.cols);
}

template <typename T>
void add_outer(T s, const T* x, const T* y, View<T> a) {
  for (Index r = 0; r < a.rows; ++r) add_scaled(s * x[r], y, a.row(r), a.cols);
}

template <typename T>
void multiply(const T* x, const T* y, T* z, Index n) {
#pragma omp simd
  for (Index i = 0; i < n; ++i) z[i] = x[i] * y[i];
}

template <typename T>
void sigmoid(const T* x, T* y, Index n) {
#pragma omp simd
  for (Index i = 0; i < n; ++i) y[i] = logistic(x[i]);
}

template <typename T>
void tanh(const T* x, T* y, Index n) {
#pragma omp simd
  for (Index i = 0; i < n; ++i) y[i] = T(2) * logistic(T(2) * x[i]) - T(1);
}

template <typename T>
void softplus(const T* x, T* y, Index n) {
#pragma omp simd
  for (Index i = 0; i < n; ++i) {
    const T size = x[i] > T(0) ? x[i] : -x[i];
    y[i] = (x[i] > T(0) ? x[i] : T(0)) + log_of_one_plus(exp_one(-size));
  }
}

template <typename T>
void softmax_backward(const T* p, T mean, T* ds, Index n) {
#pragma omp simd
  for (Index i = 0; i < n; ++i) ds[i] = p[i] * (ds[i] - mean);
}

template <typename T>
void gelu(const T* x, T* y, Index n) {
#pragma omp simd
  for (Index i = 0; i < n; ++i) y[i] = x[i] * normal_cdf(x[i]);
}

template <typename T>
void gelu_backward(const T* x, const T* dy, T* dx, Index n) {
#pragma omp simd
  for (Index i = 0; i < n; ++i) dx[i] = dy[i] * gelu_derivative(x[i]);
}

template <typename T>
void gelu_tanh(const T* x, T* y, Index n) {
#pragma omp simd
  for (Index i = 0; i < n; ++i) {
    const T two_u = gelu_slope<T> * (x[i] + gelu_cubic<T> * x[i] * x[i] * x[i]);
    y[i] = x[i] * logistic(two_u);
  }
}

template <typename T>
void gelu_tanh_backward(const T* x, const T* dy, T* dx, Index n) {
#pragma omp simd
  for (Index i = 0; i < n; ++i) {
    const T square = x[i] * x[i];
    const T s = logistic(gelu_slope<T> * x[i] * (T(1) + gelu_cubic<T> * square));
    const T two_u_slope = gelu_slope<T> * (T(1) + T(3) * gelu_cubic<T> * square);
    dx[i] = dy[i] * (s + x[i] * two_u_slope * s * (T(1) - s));
  }
}

template <typename T>
void silu(const T* x, T* y, Index n) {
#pragma omp simd
  for (Index i = 0; i < n; ++i) y[i] = x[i] * logistic(x[i]);
}

template <typename T>
void silu_backward(const T* x, const T* dy, T* dx, Index n) {
#pragma omp simd
  for (Index i = 0; i < n; ++i) {
    const T s = logistic(x[i]);
    dx[i] = dy[i] * s * (T(1) + x[i] * (T(1) - s));
  }
}

template <typename T>
void relu(const T* x, T* y, Index n) {
#pragma omp simd
  for (Index i = 0; i < n; ++i) y[i] = x[i] > T(0) ? x[i] : T(0);
}

template <typename T>
void relu_backward(const T* x, const T* dy, T* dx, Index n) {
#pragma omp simd
  for (Index i = 0; i < n; ++i) dx[i] = x[i] > T(0) ? dy[i] : T(0);
}

// NOLINTBEGIN(bugprone-macro-parentheses): a type cannot be parenthesised
#define ORDINAL_INSTANTIATE_FOR(T)                                 \
  template T exp_shifted(const T*, T, T*, Index);                  \
  template SoftmaxSums<T> softmax_exponentials(T*, Index);         \
  template T max(const T*, Index);                                 \
  template T sum(const T*, Index);                                 \
  template T dot(const T*, const T*, Index);                       \
  template T squares(const T*, T, Index);                          \
  template void add_scaled(T, const T*, T*, Index);                \
  template void scale(T, T*, Index);                               \
  template void add(const T*, const T*, T*, Index);                \
  template void add_rows(View<const T>, T*);                       \
  template void row_times(const T*, View<const T>, T*);            \
  template void times_column(View<const T>, const T*, T*);         \
  template void add_outer(T, const T*, const T*, View<T>);         \
  template void multiply(const T*, const T*, T*, Index);           \
  template void sigmoid(const T*, T*, Index);                      \
  template void tanh(const T*, T*, Index);                         \
  template void softplus(const T*, T*, Index);                     \
  template void softmax_backward(const T*, T, T*, Index);          \
  template void gelu(const T*, T*, Index);                         \
  template void gelu_backward(const T*, const T*, T*, Index);      \
  template void gelu_tanh(const T*, T*, Index);                    \
  template void gelu_tanh_backward(const T*, const T*, T*, Index); \
  template void silu(const T*, T*, Index);                         \
  template void silu_backward(const T*, const T*, T*, Index);      \
  template void relu(const T*, T*, Index);                         \
  template void relu_backward(const T*, const T*, T*, Index)
// NOLINTEND(bugprone-macro-parentheses)
ORDINAL_INSTANTIATE_FOR(float);
ORDINAL_INSTANTIATE_FOR(double);

}  // namespace ordinal::vmath
