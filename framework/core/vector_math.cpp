#include "framework/core/vector_math.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

namespace ordinal::vmath {
namespace {

// exp(x) = 2^n exp(r), n = round(x / ln 2), |r| <= ln 2 / 2; exp(r) by the polynomial of degree 6 with the
// least relative error, 2e-9 before rounding.
// Adding 1.5 * 2^23 rounds to a whole number without a call, and leaves it in the low bits of the sum, from where
// the exponent takes it: a conversion of a NaN to an integer would be undefined. Splitting ln 2 in two parts keeps r
// exact.
inline float exp_one(float x) {
  constexpr float round_shift = 12582912.0F;
  constexpr float ln2_high = 0.693359375F;
  constexpr float ln2_low = -2.12194440e-4F;
  const float clamped = std::min(std::max(x, -87.0F), 88.0F);
  const float shifted = clamped * std::numbers::log2e_v<float> + round_shift;
  const float n = shifted - round_shift;
  const float r = (clamped - n * ln2_high) - n * ln2_low;
  float p = 0.0013836846F;
  p = p * r + 0.008374816F;
  p = p * r + 0.041668225F;
  p = p * r + 0.1666642F;
  p = p * r + 0.4999999F;
  p = p * r + 1.0F;
  p = p * r + 1.0F;
  const std::uint32_t exponent = (std::bit_cast<std::uint32_t>(shifted) + 127U) << 23U;
  const float y = p * std::bit_cast<float>(exponent);
  return x < -87.0F ? 0.0F : y;
}

inline double exp_one(double x) { return std::exp(x); }

template <typename T>
inline T logistic(T x) {
  return T(1) / (T(1) + exp_one(-x));
}

// The normal distribution Φ and its density φ, which share an exponential: with z = |x|/√2 and E = exp(-z²),
// φ = E/√(2π) and Φ(-|x|) = erfc(z)/2 = E Q(t)/2, t = 1/(1 + 0.3275911 z), Q the polynomial of Abramowitz &
// Stegun 7.1.26, absolute error below 1.5e-7.
template <typename T>
struct Normal {
  T cdf;
  T density;
};

inline Normal<float> normal(float x) {
  const float z = std::abs(x) * std::numbers::sqrt2_v<float> * 0.5F;
  const float e = exp_one(-z * z);
  const float t = 1.0F / (1.0F + 0.3275911F * z);
  float q = 1.061405429F;
  q = q * t - 1.453152027F;
  q = q * t + 1.421413741F;
  q = q * t - 0.284496736F;
  q = q * t + 0.254829592F;
  const float upper_tail = 0.5F * q * t * e;
  constexpr float inverse_sqrt_2pi = std::numbers::inv_sqrtpi_v<float> / std::numbers::sqrt2_v<float>;
  return {x > 0.0F ? 1.0F - upper_tail : upper_tail, inverse_sqrt_2pi * e};
}

inline Normal<double> normal(double x) {
  constexpr double inverse_sqrt_2pi = std::numbers::inv_sqrtpi / std::numbers::sqrt2;
  return {0.5 * std::erfc(-x / std::numbers::sqrt2), inverse_sqrt_2pi * std::exp(-0.5 * x * x)};
}

// 2u = 2 √(2/π) (x + 0.044715 x³): then 0.5 (1 + tanh u) = s(2u).
template <typename T>
constexpr T gelu_slope = T(2) * std::numbers::sqrt2_v<T>* std::numbers::inv_sqrtpi_v<T>;
template <typename T>
constexpr T gelu_cubic = T(0.044715);

}  // namespace

template <typename T>
T exp_shifted(const T* x, T shift, T* y, Index n) {
  T total = T(0);
#pragma omp simd reduction(+ : total)
  for (Index i = 0; i < n; ++i) {
    const T e = exp_one(x[i] - shift);
    y[i] = e;
    total += e;
  }
  return total;
}

template <typename T>
SoftmaxSums<T> softmax_exponentials(T* row, Index n) {
  T largest = row[0];
#pragma omp simd reduction(max : largest)
  for (Index i = 0; i < n; ++i) largest = row[i] > largest ? row[i] : largest;
  T total = T(0);
#pragma omp simd reduction(+ : total)
  for (Index i = 0; i < n; ++i) {
    row[i] = exp_one(row[i] - largest);
    total += row[i];
  }
  return {largest, total};
}

template <typename T>
T max(const T* x, Index n) {
  T largest = x[0];
#pragma omp simd reduction(max : largest)
  for (Index i = 0; i < n; ++i) largest = x[i] > largest ? x[i] : largest;
  return largest;
}

template <typename T>
T sum(const T* x, Index n) {
  T total = T(0);
#pragma omp simd reduction(+ : total)
  for (Index i = 0; i < n; ++i) total += x[i];
  return total;
}

template <typename T>
T dot(const T* x, const T* y, Index n) {
  T total = T(0);
#pragma omp simd reduction(+ : total)
  for (Index i = 0; i < n; ++i) total += x[i] * y[i];
  return total;
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
void softmax_backward(const T* e, T share, T mean, T* p, T* ds, Index n) {
#pragma omp simd
  for (Index i = 0; i < n; ++i) {
    p[i] = share * e[i];
    ds[i] = p[i] * (ds[i] - mean);
  }
}

template <typename T>
void gelu(const T* x, T* y, Index n) {
#pragma omp simd
  for (Index i = 0; i < n; ++i) y[i] = x[i] * normal(x[i]).cdf;
}

template <typename T>
void gelu_backward(const T* x, const T* dy, T* dx, Index n) {
#pragma omp simd
  for (Index i = 0; i < n; ++i) {
    const Normal<T> at = normal(x[i]);
    dx[i] = dy[i] * (at.cdf + x[i] * at.density);
  }
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

template float exp_shifted<float>(const float*, float, float*, Index);
template double exp_shifted<double>(const double*, double, double*, Index);
template float max<float>(const float*, Index);
template double max<double>(const double*, Index);
template float sum<float>(const float*, Index);
template double sum<double>(const double*, Index);
template float dot<float>(const float*, const float*, Index);
template double dot<double>(const double*, const double*, Index);
template void add_scaled<float>(float, const float*, float*, Index);
template void add_scaled<double>(double, const double*, double*, Index);
template void scale<float>(float, float*, Index);
template void scale<double>(double, double*, Index);
template void add<float>(const float*, const float*, float*, Index);
template void add<double>(const double*, const double*, double*, Index);
template void add_rows<float>(View<const float>, float*);
template void add_rows<double>(View<const double>, double*);
template void multiply<float>(const float*, const float*, float*, Index);
template void multiply<double>(const double*, const double*, double*, Index);
template void sigmoid<float>(const float*, float*, Index);
template void sigmoid<double>(const double*, double*, Index);
template void softmax_backward<float>(const float*, float, float, float*, float*, Index);
template void softmax_backward<double>(const double*, double, double, double*, double*, Index);
template SoftmaxSums<float> softmax_exponentials<float>(float*, Index);
template SoftmaxSums<double> softmax_exponentials<double>(double*, Index);
template void gelu<float>(const float*, float*, Index);
template void gelu<double>(const double*, double*, Index);
template void gelu_backward<float>(const float*, const float*, float*, Index);
template void gelu_backward<double>(const double*, const double*, double*, Index);
template void gelu_tanh<float>(const float*, float*, Index);
template void gelu_tanh<double>(const double*, double*, Index);
template void gelu_tanh_backward<float>(const float*, const float*, float*, Index);
template void gelu_tanh_backward<double>(const double*, const double*, double*, Index);
template void silu<float>(const float*, float*, Index);
template void silu<double>(const double*, double*, Index);
template void silu_backward<float>(const float*, const float*, float*, Index);
template void silu_backward<double>(const double*, const double*, double*, Index);
template void relu<float>(const float*, float*, Index);
template void relu<double>(const double*, double*, Index);
template void relu_backward<float>(const float*, const float*, float*, Index);
template void relu_backward<double>(const double*, const double*, double*, Index);

}  // namespace ordinal::vmath
