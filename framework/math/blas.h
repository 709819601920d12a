// Matrix products on views. Float products use math/gemm.h and give the same bits on every machine; double products use
// OpenBLAS. Only blas.cpp calls CBLAS. Every product runs on the calling thread; core/threads.h has the framework's threads.
#pragma once

#include <string>
#include <type_traits>

#include "framework/core/tensor.h"

namespace ordinal {

/// A factor of a matrix product: a view, or its transpose without a copy.
template <typename T>
struct Factor {
  View<const T> view;
  bool transposed = false;

  // NOLINTNEXTLINE(google-explicit-constructor): a view converts to a factor implicitly
  Factor(View<const T> matrix, bool transpose = false) : view(matrix), transposed(transpose) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  Factor(View<T> matrix) : view(matrix) {}
  Index rows() const { return transposed ? view.cols : view.rows; }
  Index cols() const { return transposed ? view.rows : view.cols; }
  Factor row_range(Index first, Index count) const {
    return {transposed ? view.col_range(first, count) : view.row_range(first, count), transposed};
  }
  Factor col_range(Index first, Index count) const {
    return {transposed ? view.row_range(first, count) : view.col_range(first, count), transposed};
  }
};

template <typename T>
Factor<T> transposed(View<const T> matrix) {
  return Factor<T>(matrix, true);
}
template <typename T>
requires(!std::is_const_v<T>) Factor<T> transposed(View<T> matrix) { return Factor<T>(matrix, true); }

/// The half of a product that need not be computed: elements (r, c) right of a diagonal, with c > r + diagonal.
///   left    these elements of a's view are zero, so the sums may skip them
///   result  these elements of c are not needed and may be anything, but in float are numbers up to the next column that 16 divides
struct Triangle {
  enum class Of { nothing, left, result };
  Of of = Of::nothing;
  Index diagonal = 0;
};

/// c = scale · a b + keep · c. Shapes: a (m, k), b (k, n), c (m, n). With keep = 0, c may be uninitialised. Throws
/// std::invalid_argument if shapes do not match, or c shares elements with a or b. With ORDINAL_PRODUCTS=openblas in the environment,
/// OpenBLAS also computes in float, with bits that depend on the processor. ConfigError: neither openblas nor portable, the default.
template <typename T>
void multiply(const std::type_identity_t<Factor<T>>& a, const std::type_identity_t<Factor<T>>& b, View<T> c,
              std::type_identity_t<T> scale = T(1), std::type_identity_t<T> keep = T(0),
              const Triangle& triangle = {});

/// c += a b.
template <typename T>
void multiply_add(const std::type_identity_t<Factor<T>>& a, const std::type_identity_t<Factor<T>>& b,
                  View<T> c) {
  multiply<T>(a, b, c, T(1), T(1));
}

/// c = a b, plus `bias` (n) on each row. Throws as multiply() does.
template <typename T>
void multiply_with_bias(const std::type_identity_t<Factor<T>>& a, const std::type_identity_t<Factor<T>>& b,
                        const T* bias, View<T> c);

/// c = a b by OpenBLAS, whatever multiply() uses: the reference for its results and its speed. Throws as multiply() does.
template <typename T>
void multiply_by_openblas(const std::type_identity_t<Factor<T>>& a, const std::type_identity_t<Factor<T>>& b,
                          View<T> c);

/// y = xᵀ, as a copy: for a factor of several products, which run faster on rows. Shapes: x (m, n), y (n, m).
/// Throws std::invalid_argument if they do not match, or if x and y share elements.
template <typename T>
void transpose(std::type_identity_t<View<const T>> x, View<T> y);

/// The code that computes products, for the start-up line and the manifest.
struct BlasInfo {
  std::string version;    // "OpenBLAS 0.3.21"
  std::string kernel;     // "SkylakeX", "Haswell", …: the kernels that OpenBLAS chose for this processor
  std::string threading;  // "pthreads", "OpenMP" or "serial"
  std::string products;   // float products: "portable", or "OpenBLAS Haswell"; see math/gemm.h and multiply()
  Index lanes;            // floats per vector in portable products
};
BlasInfo blas_info();

}  // namespace ordinal
