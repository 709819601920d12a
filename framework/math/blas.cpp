#include "framework/math/blas.h"

#include <cblas.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string_view>

#include "framework/core/errors.h"
#include "framework/math/gemm.h"
#include "framework/math/lanes.h"
#include "framework/math/vector_math.h"

// Ends OpenBLAS's own threads. Builds that have any export it, but no header declares it.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" [[gnu::weak]] int blas_thread_shutdown_();

namespace ordinal {
namespace {

// OpenBLAS would split each small product over its own threads. That is slower than one product per thread,
// and only one thread gives the same bits on any machine. The threads that start when OpenBLAS is loaded would first
// spin for a tenth of a second and keep a processor from ours.
void use_one_blas_thread() {
  static std::once_flag once;
  std::call_once(once, [] {
    openblas_set_num_threads(1);
    if (blas_thread_shutdown_ != nullptr) blas_thread_shutdown_();
  });
}

CBLAS_TRANSPOSE order(bool transposed) { return transposed ? CblasTrans : CblasNoTrans; }

blasint blas(Index n) { return static_cast<blasint>(n); }

template <typename T>
void blas_gemm(const Factor<T>& a, const Factor<T>& b, View<T> c, T scale, T keep) {
  const auto call = [&](auto gemm) {
    gemm(CblasRowMajor, order(a.transposed), order(b.transposed), blas(c.rows), blas(c.cols), blas(a.cols()),
         scale, a.view.data, blas(a.view.stride), b.view.data, blas(b.view.stride), keep, c.data,
         blas(c.stride));
  };
  if constexpr (std::is_same_v<T, float>) call(cblas_sgemm);
  if constexpr (std::is_same_v<T, double>) call(cblas_dgemm);
}

bool openblas_has_floats() {
  static const bool chosen = [] {
    const char* const products = std::getenv("ORDINAL_PRODUCTS");
    const std::string_view value = products == nullptr ? "" : products;
    if (value.empty() || value == "portable") return false;
    if (value == "openblas") return true;
    throw ConfigError(fmt::format("ORDINAL_PRODUCTS: got '{}', expected portable or openblas", value));
  }();
  return chosen;
}

// Keeps a part of c: scales it with one rounding before the sums start from it.
void own_gemm(const Factor<float>& a, const Factor<float>& b, View<float> c, float scale, float keep,
              const Triangle& triangle) {
  if (keep != 0.0F && keep != 1.0F) {
    for (Index r = 0; r < c.rows; ++r) vmath::scale(keep, c.row(r), c.cols);
  }
  multiply_floats(a, b, c, scale, keep == 0.0F ? View<const float>{} : c, triangle);
}

// Whether two views share elements. Those of one matrix, such as two heads, do if they share rows and columns of it.
template <typename T>
bool overlap(View<const T> x, View<const T> y) {
  if (x.size() == 0 || y.size() == 0) return false;
  const auto end = [](View<const T> view) { return view.row(view.rows - 1) + view.cols; };
  if (!std::less<>()(x.data, end(y)) || !std::less<>()(y.data, end(x))) return false;
  if (x.stride != y.stride) return true;
  const Index column = ((y.data - x.data) % x.stride + x.stride) % x.stride;
  return column < x.cols || column + y.cols > x.stride;
}

// A result is written while the factors are read.
template <typename T>
void check_apart(const char* function, View<const T> factor, View<const T> result) {
  if (!overlap(factor, result)) return;
  throw std::invalid_argument(
      fmt::format("{}: the result shares memory with a factor, expected a result of its own", function));
}

template <typename T>
void check_product(const Factor<T>& a, const Factor<T>& b, View<T> c) {
  if (a.rows() != c.rows || b.cols() != c.cols || a.cols() != b.rows()) {
    throw std::invalid_argument(
        fmt::format("multiply: got a ({}, {}), b ({}, {}), c ({}, {}); expected (m, k), (k, n), (m, n)",
                    a.rows(), a.cols(), b.rows(), b.cols(), c.rows, c.cols));
  }
  check_apart<T>("multiply", a.view, c);
  check_apart<T>("multiply", b.view, c);
}

}  // namespace

template <typename T>
void multiply(const std::type_identity_t<Factor<T>>& a, const std::type_identity_t<Factor<T>>& b, View<T> c,
              std::type_identity_t<T> scale, std::type_identity_t<T> keep, const Triangle& triangle) {
  check_product(a, b, c);
  if (c.size() == 0) return;
  use_one_blas_thread();  // even if OpenBLAS does not multiply: its threads spin from the start
  if constexpr (std::is_same_v<T, float>) {
    if (!openblas_has_floats()) return own_gemm(a, b, c, scale, keep, triangle);
  }
  blas_gemm(a, b, c, scale, keep);
}

template <typename T>
void multiply_with_bias(const std::type_identity_t<Factor<T>>& a, const std::type_identity_t<Factor<T>>& b,
                        const T* bias, View<T> c) {
  use_one_blas_thread();
  if constexpr (std::is_same_v<T, float>) {
    if (!openblas_has_floats()) {
      check_product(a, b, c);
      return multiply_floats(a, b, c, 1.0F, {bias, c.rows, c.cols, 0}, {});
    }
  }
  for (Index r = 0; r < c.rows; ++r) std::copy_n(bias, c.cols, c.row(r));
  multiply_add<T>(a, b, c);
}

template <typename T>
void multiply_by_openblas(const std::type_identity_t<Factor<T>>& a, const std::type_identity_t<Factor<T>>& b,
                          View<T> c) {
  check_product(a, b, c);
  use_one_blas_thread();
  if (c.size() > 0) blas_gemm(a, b, c, T(1), T(0));
}

template void multiply<float>(const Factor<float>&, const Factor<float>&, View<float>, float, float,
                              const Triangle&);
template void multiply<double>(const Factor<double>&, const Factor<double>&, View<double>, double, double,
                               const Triangle&);
template void multiply_with_bias(const Factor<float>&, const Factor<float>&, const float*, View<float>);
template void multiply_with_bias(const Factor<double>&, const Factor<double>&, const double*, View<double>);
template void multiply_by_openblas(const Factor<float>&, const Factor<float>&, View<float>);
template void multiply_by_openblas(const Factor<double>&, const Factor<double>&, View<double>);

template <typename T>
void transpose(std::type_identity_t<View<const T>> x, View<T> y) {
  if (x.rows != y.cols || x.cols != y.rows) {
    throw std::invalid_argument(fmt::format("transpose: got x ({}, {}), y ({}, {}); expected (m, n), (n, m)",
                                            x.rows, x.cols, y.rows, y.cols));
  }
  check_apart<T>("transpose", x, y);
  if (x.size() == 0) return;
  if constexpr (std::is_same_v<T, float>) transpose_floats(x, y);
  if constexpr (std::is_same_v<T, double>) {
    cblas_domatcopy(CblasRowMajor, CblasTrans, blas(x.rows), blas(x.cols), 1.0, x.data, blas(x.stride),
                    y.data, blas(y.stride));
  }
}

template void transpose<float>(View<const float>, View<float>);
template void transpose<double>(View<const double>, View<double>);

BlasInfo blas_info() {
  const std::string config = openblas_get_config();  // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH …"
  const auto second_space = config.find(' ', config.find(' ') + 1);
  BlasInfo info{config.substr(0, second_space), openblas_get_corename(), "serial", "portable",
                vector_bytes / 4};
  if (!gemm_is_fused()) info.products += " without fused multiply-adds";
  if (openblas_has_floats()) info.products = "OpenBLAS " + info.kernel;
  if (openblas_get_parallel() == OPENBLAS_THREAD) info.threading = "pthreads";
  if (openblas_get_parallel() == OPENBLAS_OPENMP) info.threading = "OpenMP";
  return info;
}

}  // namespace ordinal
