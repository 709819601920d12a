// Elementwise mathematics on contiguous arrays, written so that the compiler vectorises every loop. math/functions.h has the
// functions of one element.
#pragma once

#include "framework/core/tensor.h"

namespace ordinal::vmath {

/// y[i] = exp(x[i] - shift), returns Σ y[i]. float: relative error below 3e-7 for x - shift in [-87, 88];
/// below -87 the result is 0. In place is fine.
template <typename T>
T exp_shifted(const T* x, T shift, T* y, Index n);

/// The softmax of a row without the division: row[i] = exp(row[i] - largest), and their sum. n >= 1.
template <typename T>
struct SoftmaxSums {
  T largest;
  T total;
};
template <typename T>
SoftmaxSums<T> softmax_exponentials(T* row, Index n);

/// Largest element; n >= 1.
template <typename T>
T max(const T* x, Index n);

template <typename T>
T sum(const T* x, Index n);

/// Σ x[i] y[i].
template <typename T>
T dot(const T* x, const T* y, Index n);

/// Σ (x[i] - mean)².
template <typename T>
T squares(const T* x, T mean, Index n);

/// y[i] += a x[i].
template <typename T>
void add_scaled(T a, const T* x, T* y, Index n);

/// y[i] *= a.
template <typename T>
void scale(T a, T* y, Index n);

/// z[i] = x[i] + y[i]; in place is fine.
template <typename T>
void add(const T* x, const T* y, T* z, Index n);

/// y[i] += Σ x(r, i) over the rows r.
template <typename T>
void add_rows(View<const T> x, T* y);

/// z[i] = x[i] y[i]; in place is fine.
template <typename T>
void multiply(const T* x, const T* y, T* z, Index n);

/// y[i] = 1 / (1 + exp(-x[i])), the logistic function; in place is fine. float: absolute error below 3e-7.
template <typename T>
void sigmoid(const T* x, T* y, Index n);

/// y[i] = ln(1 + exp(x[i])); in place is fine. float: relative error below 4e-7.
template <typename T>
void softplus(const T* x, T* y, Index n);

/// y[i] = tanh(x[i]); in place is fine. float: relative error below 2e-6.
template <typename T>
void tanh(const T* x, T* y, Index n);

/// The backward of one softmax row: ds[i] = p[i] (ds[i] - mean), with ds = dP on entry and mean = Σ p[i] dP[i].
template <typename T>
void softmax_backward(const T* p, T mean, T* ds, Index n);

}  // namespace ordinal::vmath
