#include "framework/core/blas.h"

#include <cblas.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <cctype>
#include <mutex>
#include <stdexcept>
#include <string_view>

#include "framework/core/jit_gemm.h"

// Ends OpenBLAS's own threads; exported by the builds that have any, but in no header.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" [[gnu::weak]] int blas_thread_shutdown_();

namespace ordinal {
namespace {

// OpenBLAS would split each small product over its own threads, which is slower than one product per thread;
// and only one thread gives the same bits on any machine. The others, started when the library was loaded, would first
// spin for a tenth of a second and keep ours from a processor.
void use_one_blas_thread() {
  static std::once_flag once;
  std::call_once(once, [] {
    openblas_set_num_threads(1);
    if (blas_thread_shutdown_ != nullptr) blas_thread_shutdown_();
  });
}

CBLAS_TRANSPOSE order(bool transposed) { return transposed ? CblasTrans : CblasNoTrans; }

blasint blas(Index n) { return static_cast<blasint>(n); }

void sgemm(const Factor<float>& a, const Factor<float>& b, View<float> c, float scale, float keep) {
  cblas_sgemm(CblasRowMajor, order(a.transposed), order(b.transposed), blas(c.rows), blas(c.cols),
              blas(a.cols()), scale, a.view.data, blas(a.view.stride), b.view.data, blas(b.view.stride), keep,
              c.data, blas(c.stride));
}

void gemm(const Factor<float>& a, const Factor<float>& b, View<float> c, float scale, float keep) {
  static const bool is_as_wide = uses_avx512(openblas_get_corename()) || !jit_uses_avx512();
  if (!jit_multiply(a, b, c, scale, keep, is_as_wide)) sgemm(a, b, c, scale, keep);
}

void gemm(const Factor<double>& a, const Factor<double>& b, View<double> c, double scale, double keep) {
  cblas_dgemm(CblasRowMajor, order(a.transposed), order(b.transposed), blas(c.rows), blas(c.cols),
              blas(a.cols()), scale, a.view.data, blas(a.view.stride), b.view.data, blas(b.view.stride), keep,
              c.data, blas(c.stride));
}

// A single row c = a b, as cᵀ = bᵀ aᵀ: decoding step by step has nothing else, and sgemm would first copy all of b.
void gemv(const Factor<float>& a, const Factor<float>& b, float* c, float scale) {
  cblas_sgemv(CblasRowMajor, order(!b.transposed), blas(b.view.rows), blas(b.view.cols), scale, b.view.data,
              blas(b.view.stride), a.view.data, a.transposed ? blas(a.view.stride) : 1, 1.0F, c, 1);
}

void gemv(const Factor<double>& a, const Factor<double>& b, double* c, double scale) {
  cblas_dgemv(CblasRowMajor, order(!b.transposed), blas(b.view.rows), blas(b.view.cols), scale, b.view.data,
              blas(b.view.stride), a.view.data, a.transposed ? blas(a.view.stride) : 1, 1.0, c, 1);
}

// The sum starts from zeros, because c may hold anything.
template <typename T>
void multiply_row(const Factor<T>& a, const Factor<T>& b, View<T> c, T scale, T keep) {
  for (Index i = 0; i < c.cols; ++i) c(0, i) = keep == T(0) ? T(0) : keep * c(0, i);
  if (b.rows() > 0) gemv(a, b, c.data, scale);
}

void copy_transposed(View<const float> x, View<float> y) {
  cblas_somatcopy(CblasRowMajor, CblasTrans, blas(x.rows), blas(x.cols), 1.0F, x.data, blas(x.stride), y.data,
                  blas(y.stride));
}

void copy_transposed(View<const double> x, View<double> y) {
  cblas_domatcopy(CblasRowMajor, CblasTrans, blas(x.rows), blas(x.cols), 1.0, x.data, blas(x.stride), y.data,
                  blas(y.stride));
}

}  // namespace

void check_blas_memory(int threads) {
  constexpr std::size_t each = std::size_t{256}
                               << 20U;  // half for the buffer of OpenBLAS, half for the thread's heap
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  const std::size_t size = each * static_cast<std::size_t>(threads);
  void* const trial =
      ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (trial == MAP_FAILED) {
    throw std::runtime_error(
        fmt::format("out of memory: matrix products on {} thread{} need {} MB of address space, and the "
                    "limit (ulimit -v) "
                    "is {} MB; raise it or use fewer threads",
                    threads, threads == 1 ? "" : "s", size >> 20U, limit.rlim_cur >> 20U));
  }
  ::munmap(trial, size);
}

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
  if (c.rows == 1) return multiply_row(a, b, c, scale, keep);
  gemm(a, b, c, scale, keep);
}

template void multiply<float>(const Factor<float>&, const Factor<float>&, View<float>, float, float);
template void multiply<double>(const Factor<double>&, const Factor<double>&, View<double>, double, double);

template <typename T>
void transpose(std::type_identity_t<View<const T>> x, View<T> y) {
  if (x.rows != y.cols || x.cols != y.rows) {
    throw std::invalid_argument(fmt::format("transpose: got x ({}, {}), y ({}, {}); expected (m, n), (n, m)",
                                            x.rows, x.cols, y.rows, y.cols));
  }
  if (x.size() != 0) copy_transposed(x, y);
}

template void transpose<float>(View<const float>, View<float>);
template void transpose<double>(View<const double>, View<double>);

BlasInfo blas_info() {
  const std::string config = openblas_get_config();  // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH …"
  const auto second_space = config.find(' ', config.find(' ') + 1);
  BlasInfo info{config.substr(0, second_space), openblas_get_corename(), "serial", jit_version()};
  if (openblas_get_parallel() == OPENBLAS_THREAD) info.threading = "pthreads";
  if (openblas_get_parallel() == OPENBLAS_OPENMP) info.threading = "OpenMP";
  return info;
}

bool uses_avx512(std::string_view kernel) {
  const auto is_kernel = [&](std::string_view name) {
    return std::ranges::equal(
        kernel, name, {}, [](unsigned char c) { return std::tolower(c); },
        [](unsigned char c) { return std::tolower(c); });
  };
  return is_kernel("SkylakeX") || is_kernel("Cooperlake") || is_kernel("SapphireRapids") || is_kernel("Zen4");
}

}  // namespace ordinal
