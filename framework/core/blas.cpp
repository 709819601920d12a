#include "framework/core/blas.h"

#include <cblas.h>
#include <fmt/format.h>

#include <mutex>
#include <stdexcept>

namespace ordinal {
namespace {

// OpenBLAS would cut each small product over its own threads, which is slower than one product per thread;
// and only one thread gives the same bits whatever the machine.
void use_one_blas_thread() {
  static std::once_flag once;
  std::call_once(once, [] { openblas_set_num_threads(1); });
}

CBLAS_TRANSPOSE order(bool transposed) { return transposed ? CblasTrans : CblasNoTrans; }

blasint blas(Index n) { return static_cast<blasint>(n); }

void gemm(const Factor<float>& a, const Factor<float>& b, View<float> c, float scale, float keep) {
  cblas_sgemm(CblasRowMajor, order(a.transposed), order(b.transposed), blas(c.rows), blas(c.cols),
              blas(a.cols()), scale, a.view.data, blas(a.view.stride), b.view.data, blas(b.view.stride), keep,
              c.data, blas(c.stride));
}

void gemm(const Factor<double>& a, const Factor<double>& b, View<double> c, double scale, double keep) {
  cblas_dgemm(CblasRowMajor, order(a.transposed), order(b.transposed), blas(c.rows), blas(c.cols),
              blas(a.cols()), scale, a.view.data, blas(a.view.stride), b.view.data, blas(b.view.stride), keep,
              c.data, blas(c.stride));
}

}  // namespace

template <typename T>
void multiply(const std::type_identity_t<Factor<T>>& a, const std::type_identity_t<Factor<T>>& b, View<T> c,
              std::type_identity_t<T> scale, std::type_identity_t<T> keep) {
  if (a.rows() != c.rows || b.cols() != c.cols || a.cols() != b.rows()) {
    throw std::invalid_argument(
        fmt::format("multiply: got a ({}, {}), b ({}, {}), c ({}, {}); expected (m, k), (k, n), (m, n)",
                    a.rows(), a.cols(), b.rows(), b.cols(), c.rows, c.cols));
  }
  if (c.size() == 0) return;
  use_one_blas_thread();
  gemm(a, b, c, scale, keep);
}

template void multiply<float>(const Factor<float>&, const Factor<float>&, View<float>, float, float);
template void multiply<double>(const Factor<double>&, const Factor<double>&, View<double>, double, double);

BlasInfo blas_info() {
  const std::string config = openblas_get_config();  // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH …"
  const auto second_space = config.find(' ', config.find(' ') + 1);
  BlasInfo info{config.substr(0, second_space), openblas_get_corename(), "serial"};
  if (openblas_get_parallel() == OPENBLAS_THREAD) info.threading = "pthreads";
  if (openblas_get_parallel() == OPENBLAS_OPENMP) info.threading = "OpenMP";
  return info;
}

}  // namespace ordinal
