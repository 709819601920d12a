#include "framework/math/vector_math.h"

#include "framework/math/functions.h"

namespace ordinal::vmath {
namespace {

// Σ term(i), where term<V>(i) is the term of element i, or those of the elements from i on as Lanes.
template <typename T, typename Term>
T total(Index n, const Term& term) {
  constexpr Index lanes = Lanes<T>::count;
  Lanes<T> all{};
  Index i = 0;
  for (; i + lanes <= n; i += lanes) all = all + term.template operator()<Lanes<T>>(i);
  T rest = T(0);
  for (; i < n; ++i) rest += term.template operator()<T>(i);
  return all.sum() + rest;
}

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
  return total<T>(n, [=]<typename V>(Index i) { return load<V>(x + i); });
}

template <typename T>
T dot(const T* x, const T* y, Index n) {
  return total<T>(n, [=]<typename V>(Index i) { return load<V>(x + i) * load<V>(y + i); });
}

template <typename T>
T squares(const T* x, T mean, Index n) {
  return total<T>(n, [=]<typename V>(Index i) {
    const V deviation = load<V>(x + i) - mean;
    return deviation * deviation;
  });
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
void softplus(const T* x, T* y, Index n) {
#pragma omp simd
  for (Index i = 0; i < n; ++i) y[i] = softplus_one(x[i]);
}

template <typename T>
void tanh(const T* x, T* y, Index n) {
#pragma omp simd
  for (Index i = 0; i < n; ++i) y[i] = tangent(x[i]);
}

template <typename T>
void softmax_backward(const T* p, T mean, T* ds, Index n) {
#pragma omp simd
  for (Index i = 0; i < n; ++i) ds[i] = p[i] * (ds[i] - mean);
}

// NOLINTBEGIN(bugprone-macro-parentheses): a type cannot be parenthesised
#define ORDINAL_INSTANTIATE_FOR(T)                         \
  template T exp_shifted(const T*, T, T*, Index);          \
  template SoftmaxSums<T> softmax_exponentials(T*, Index); \
  template T max(const T*, Index);                         \
  template T sum(const T*, Index);                         \
  template T dot(const T*, const T*, Index);               \
  template T squares(const T*, T, Index);                  \
  template void add_scaled(T, const T*, T*, Index);        \
  template void scale(T, T*, Index);                       \
  template void add(const T*, const T*, T*, Index);        \
  template void add_rows(View<const T>, T*);               \
  template void multiply(const T*, const T*, T*, Index);   \
  template void sigmoid(const T*, T*, Index);              \
  template void softplus(const T*, T*, Index);             \
  template void tanh(const T*, T*, Index);                 \
  template void softmax_backward(const T*, T, T*, Index)
// NOLINTEND(bugprone-macro-parentheses)
ORDINAL_INSTANTIATE_FOR(float);
ORDINAL_INSTANTIATE_FOR(double);

}  // namespace ordinal::vmath
