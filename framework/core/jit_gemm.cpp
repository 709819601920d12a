#include "framework/core/jit_gemm.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <stdexcept>

#include "framework/core/vector_math.h"

#ifdef ORDINAL_LIBXSMM
#include <fmt/format.h>
#include <libxsmm.h>
#endif

namespace ordinal {

#ifdef ORDINAL_LIBXSMM
namespace {

// A product is cut into blocks of the result and panels of the right factor that fit the first caches.
constexpr Index block_rows = 64;
constexpr Index panel_cols = 64;
constexpr Index panel_rows = 256;
constexpr Index panel_rows_of_transposed = 128;  // libxsmm is slower at long sums over a transposed factor
constexpr Index longest_row = 256;               // a panel of longer rows is copied, so that it lies together
constexpr Index fewest = 16;  // rows and columns of a result: less fills no vectors, or pays for no copy
constexpr Index wide_stride = 1024;  // columns of a transposed factor this far apart share cache sets

using Kernel = libxsmm_smmfunction;

struct KernelShape {
  Index m, n, k;
  Index a_stride, b_stride, c_stride;
  bool a_transposed;
  bool adds;  // to what is there
};

int narrow(Index n) { return static_cast<int>(n); }

// libxsmm works by columns, so it computes the transposed product cᵀ = bᵀ aᵀ. Generates the kernel when the shape is first
// asked for; null if there is no memory for it.
Kernel kernel_of(const KernelShape& shape) {
  const int a_stride = narrow(shape.a_stride);
  const int b_stride = narrow(shape.b_stride);
  const int c_stride = narrow(shape.c_stride);
  const float one = 1.0F;
  const float keep = shape.adds ? 1.0F : 0.0F;
  const int flags = shape.a_transposed ? LIBXSMM_GEMM_FLAG_TRANS_B : LIBXSMM_GEMM_FLAG_NONE;
  const int prefetch = LIBXSMM_PREFETCH_NONE;
  return libxsmm_smmdispatch(narrow(shape.n), narrow(shape.m), narrow(shape.k), &b_stride, &a_stride,
                             &c_stride, &one, &keep, &flags, &prefetch);
}

// A hardened system may forbid code that a program writes itself.
bool can_generate() {
  static const bool can = [] {
    libxsmm_init();
    return kernel_of({8, 8, 8, 8, 8, 8, false, false}) != nullptr;
  }();
  return can;
}

bool is_for_openblas(const Factor<float>& a, const Factor<float>& b, View<float> c, float keep,
                     bool openblas_is_as_wide) {
  if ((keep != 0.0F && keep != 1.0F) || b.rows() == 0) return true;
  if (c.rows < fewest || c.cols < fewest) return true;
  if (openblas_is_as_wide && a.transposed && a.view.stride >= wide_stride) return true;
  return !can_generate();
}

// A part of the right factor, (k, n) and not transposed: where it is, or a scaled copy.
class Panel {
 public:
  View<const float> of(const Factor<float>& b, Index first_row, Index rows, Index first_col, Index cols,
                       float scale) {
    if (b.transposed) {
      const View<const float> part = b.view.row_range(first_col, cols).col_range(first_row, rows);
      return transposed_copy(part, scale);
    }
    const View<const float> part = b.view.row_range(first_row, rows).col_range(first_col, cols);
    return scale == 1.0F && part.stride <= longest_row ? part : copy(part, scale);
  }

 private:
  View<float> room(Index rows, Index cols) { return {memory_.data(), rows, cols, cols}; }

  View<const float> copy(View<const float> part, float scale) {
    const View<float> panel = room(part.rows, part.cols);
    for (Index r = 0; r < part.rows; ++r) {
      for (Index c = 0; c < part.cols; ++c) panel(r, c) = scale * part(r, c);
    }
    return panel;
  }

  View<const float> transposed_copy(View<const float> part, float scale) {
    const View<float> panel = room(part.cols, part.rows);
    transpose<float>(part, panel);
    if (scale != 1.0F) vmath::scale(scale, panel.data, panel.size());
    return panel;
  }

  alignas(64) std::array<float, static_cast<std::size_t>(panel_rows* panel_cols)> memory_;
};

// c = a b, or c += a b, for one panel b: by blocks of rows of c, and of a.
void multiply_panel(const Factor<float>& a, View<const float> b, View<float> c, bool adds) {
  KernelShape shape{block_rows, c.cols, b.rows, a.view.stride, b.stride, c.stride, a.transposed, adds};
  Kernel kernel = nullptr;
  for (Index first = 0; first < c.rows; first += block_rows) {
    const Index rows = std::min(block_rows, c.rows - first);
    if (kernel == nullptr || rows != shape.m) {
      shape.m = rows;
      kernel = kernel_of(shape);
      if (kernel == nullptr) throw std::runtime_error("out of memory for the kernels of matrix products");
    }
    const float* block = a.transposed ? a.view.data + first : a.view.row(first);
    kernel(b.data, block, c.row(first));
  }
}

}  // namespace

bool jit_multiply(const Factor<float>& a, const Factor<float>& b, View<float> c, float scale, float keep,
                  bool openblas_is_as_wide) {
  if (is_for_openblas(a, b, c, keep, openblas_is_as_wide)) return false;
  Panel panel;
  const Index depth = a.transposed ? panel_rows_of_transposed : panel_rows;
  for (Index col = 0; col < c.cols; col += panel_cols) {
    const Index cols = std::min(panel_cols, c.cols - col);
    for (Index k = 0; k < b.rows(); k += depth) {
      const Index rows = std::min(depth, b.rows() - k);
      const Factor<float> part(a.transposed ? a.view.row_range(k, rows) : a.view.col_range(k, rows),
                               a.transposed);
      multiply_panel(part, panel.of(b, k, rows, col, cols, scale), c.col_range(col, cols),
                     k > 0 || keep == 1.0F);
    }
  }
  return true;
}

std::string jit_version() {
  if (!can_generate()) return "";
  return fmt::format("libxsmm {}.{} ({})", LIBXSMM_VERSION_MAJOR, LIBXSMM_VERSION_MINOR,
                     libxsmm_get_target_arch());
}

bool jit_uses_avx512() { return can_generate() && libxsmm_get_target_archid() >= LIBXSMM_X86_AVX512; }

#else

bool jit_multiply(const Factor<float>& /*a*/, const Factor<float>& /*b*/, View<float> /*c*/, float /*scale*/,
                  float /*keep*/, bool /*openblas_is_as_wide*/) {
  return false;
}

std::string jit_version() { return ""; }

bool jit_uses_avx512() { return false; }

#endif

}  // namespace ordinal
