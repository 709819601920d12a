// Compiled with -ffp-contract=fast: `sum += left * right`, the only sum in this file, compiles to fused multiply-adds.
#include "framework/math/gemm.h"

#include <algorithm>
#include <array>
#include <utility>

#include "framework/math/lanes.h"

namespace ordinal {
namespace {

// A tile of the result stays in registers while the kernel sums over k: 6 rows, and as many vectors per row as leave registers
// for a row of b and an element of a. With 32 registers, 24 hold the result and 4 a row of b; with 16 registers, 12 and 2.
constexpr Index lanes = vector_bytes / static_cast<Index>(sizeof(float));
#if defined(__AVX512F__) || defined(__aarch64__)
constexpr Index tile_cols = 4 * lanes;
#else
constexpr Index tile_cols = 2 * lanes;
#endif
constexpr Index tile_rows = 6;

// Block sizes that keep the part of a in use in the first-level cache and the part of b in the second-level cache.
constexpr Index block_rows = 8 * tile_rows;
constexpr Index block_cols = 8 * tile_cols;
constexpr Index block_depth = 256;

template <Index n>
struct FloatVector {
  using Type [[gnu::vector_size(n * sizeof(float))]] = float;
};
using Vector = FloatVector<lanes>::Type;

// a_0 b_0 a_1 b_1 … from the first or the second halves of a and b.
template <bool second, typename V, int... i>
V interleaved(const V& a, const V& b, std::integer_sequence<int, i...> /*places*/) {
  constexpr int n = sizeof...(i);
  return __builtin_shufflevector(a, b, (i / 2 + i % 2 * n + (second ? n / 2 : 0))...);
}

// y = xᵀ for n rows of n numbers. Interleaving row r with row r + n/2 moves the first bit of each number's row index to the end
// of its column index, and the first bit of the column index to the end of the row index. log₂ n steps swap rows and columns.
template <Index n>
void transpose_square(const float* x, Index x_stride, float* y, Index y_stride) {
  using V = typename FloatVector<n>::Type;
  constexpr std::make_integer_sequence<int, n> places;
  V rows[n];  // NOLINT(modernize-avoid-c-arrays)
#pragma GCC unroll 16
  for (Index r = 0; r < n; ++r) rows[r] = load<V>(x + r * x_stride);
#pragma GCC unroll 4
  for (Index step = 1; step < n; step *= 2) {
    V next[n];  // NOLINT(modernize-avoid-c-arrays)
#pragma GCC unroll 8
    for (Index r = 0; r < n / 2; ++r) {
      next[2 * r] = interleaved<false>(rows[r], rows[r + n / 2], places);
      next[2 * r + 1] = interleaved<true>(rows[r], rows[r + n / 2], places);
    }
#pragma GCC unroll 16
    for (Index r = 0; r < n; ++r) rows[r] = next[r];
  }
#pragma GCC unroll 16
  for (Index r = 0; r < n; ++r) store(rows[r], y + r * y_stride);
}

// y = xᵀ in squares of n; smaller squares cover the rest.
template <Index n>
void transpose_squares(View<const float> x, View<float> y) {
  const Index rows = x.rows / n * n;
  const Index cols = x.cols / n * n;
  for (Index r = 0; r < rows; r += n) {
    for (Index c = 0; c < cols; c += n) transpose_square<n>(x.row(r) + c, x.stride, y.row(c) + r, y.stride);
  }
  if constexpr (n > 1) {
    constexpr Index less = n > 4 ? 4 : 1;
    const Index right = x.cols - cols;
    const Index below = x.rows - rows;
    transpose_squares<less>(x.row_range(0, rows).col_range(cols, right),
                            y.row_range(cols, right).col_range(0, rows));
    transpose_squares<less>(x.row_range(rows, below), y.col_range(rows, below));
  }
}

// A block of a factor as the kernel reads it: strips of rows for a, strips of columns for b. Row or column i, the first of a
// strip, starts at data + i * step. From there the next row or column is `across` away, and the next term of the sum `along`.
struct Strips {
  const float* data;
  Index step;
  Index across;
  Index along;

  Strips at(Index i) const { return {data + i * step, step, across, along}; }
  Strips from(Index k) const { return {data + k * along, step, across, along}; }
};

// Prefetches a row some time before it is read: rows are too far apart for the processor to do so.
void fetch_ahead(View<const float> x, Index row) {
  constexpr Index distance = 16;
  if (row + distance >= x.rows) return;
  for (Index j = 0; j < x.cols; j += 16) __builtin_prefetch(x.row(row + distance) + j);
}

Index whole_vectors(Index cols) { return (cols + lanes - 1) / lanes * lanes; }

// y = scale x, padded with zeros to the width of y.
void copy_scaled(const Factor<float>& x, float scale, View<float> y) {
  const Index cols = x.cols();
  if (x.transposed) transpose_floats(x.view, y.col_range(0, cols));
  if (x.transposed && scale == 1.0F && cols == y.cols) return;
  const View<const float> from = x.transposed ? y : x.view;
  for (Index k = 0; k < y.rows; ++k) {
    fetch_ahead(from, k);
    Index j = 0;
    for (; j + lanes <= cols; j += lanes) store(scale * load<Vector>(from.row(k) + j), y.row(k) + j);
    for (; j < cols; ++j) y(k, j) = scale * from(k, j);
    for (; j < y.cols; ++j) y(k, j) = 0.0F;
  }
}

// A block of a, (rows, depth). If its columns are far apart, copies it as it is stored, (depth, rows).
Strips strips_of_rows(const Factor<float>& a, float* room) {
  constexpr Index longest_walk = 128;
  const View<const float> view = a.view;
  if (!a.transposed) return {view.data, view.stride, view.stride, 1};
  if (view.rows <= longest_walk && view.stride <= longest_walk) return {view.data, 1, 1, view.stride};
  const View<float> copy{room, view.rows, whole_vectors(view.cols)};
  copy_scaled(view, 1.0F, copy);
  return {room, 1, 1, copy.cols};
}

// A block of b, (depth, cols), times the scale. If the scale is 1, rows that are whole vectors and fit as they are in the
// second-level cache are read in place.
Strips strips_of_columns(const Factor<float>& b, float scale, float* room) {
  const bool fits = b.view.rows * b.view.stride <= block_depth * block_cols;
  if (!b.transposed && scale == 1.0F && b.cols() % lanes == 0 && fits)
    return {b.view.data, 1, 1, b.view.stride};
  const View<float> copy{room, b.rows(), whole_vectors(b.cols())};
  copy_scaled(b, scale, copy);
  return {room, 1, 1, copy.cols};
}

// c = start + a b for a tile, c (rows, vectors * lanes). Without the pragmas, GCC 12 unrolls the loops so late that it keeps
// the sums in memory before and after the loop over k.
// NOLINTBEGIN(modernize-avoid-c-arrays)
template <Index rows, Index vectors>
void multiply_tile(const Strips& a, const Strips& b, Index depth, const View<const float>& start,
                   const View<float>& c) {
  Vector sums[rows][vectors];
#pragma GCC unroll 8
  for (Index i = 0; i < rows; ++i) {
#pragma GCC unroll 8
    for (Index v = 0; v < vectors; ++v)
      sums[i][v] = start.data == nullptr ? Vector{} : load<Vector>(start.row(i) + v * lanes);
  }
  constexpr Index short_sum = 64;  // too short for c to arrive in the cache meanwhile
  for (Index i = 0; i < rows && depth > short_sum; ++i) {
    for (Index v = 0; v < vectors; ++v) __builtin_prefetch(c.row(i) + v * lanes, 1);
  }
  for (Index k = 0; k < depth; ++k) {
    Vector right[vectors];
#pragma GCC unroll 8
    for (Index v = 0; v < vectors; ++v) right[v] = load<Vector>(b.data + k * b.along + v * lanes);
#pragma GCC unroll 8
    for (Index i = 0; i < rows; ++i) {
      const float left = a.data[i * a.across + k * a.along];
#pragma GCC unroll 8
      for (Index v = 0; v < vectors; ++v) sums[i][v] += left * right[v];
    }
  }
#pragma GCC unroll 8
  for (Index i = 0; i < rows; ++i) {
#pragma GCC unroll 8
    for (Index v = 0; v < vectors; ++v) store(sums[i][v], c.row(i) + v * lanes);
  }
}
// NOLINTEND(modernize-avoid-c-arrays)

// Selects the kernel for the shape of c, which is at most tile_rows by `vectors` vectors.
template <Index rows = tile_rows, Index vectors = tile_cols / lanes>
void multiply_shape(const Strips& a, const Strips& b, Index depth, const View<const float>& start,
                    const View<float>& c) {
  if constexpr (vectors > 1) {
    if (c.cols < vectors * lanes) return multiply_shape<rows, vectors - 1>(a, b, depth, start, c);
  }
  if constexpr (rows > 1) {
    if (c.rows < rows) return multiply_shape<rows - 1, vectors>(a, b, depth, start, c);
  }
  multiply_tile<rows, vectors>(a, b, depth, start, c);
}

// The same for columns that do not fill whole vectors, through a tile of whole vectors.
void multiply_edge(const Strips& a, const Strips& b, Index depth, const View<const float>& start,
                   const View<float>& c) {
  alignas(64) std::array<float, tile_rows * tile_cols> memory{};
  const View<float> tile{memory.data(), c.rows, whole_vectors(c.cols)};
  if (start.data != nullptr) copy_rows(start, tile.col_range(0, c.cols));
  multiply_shape(a, b, depth, tile, tile);
  copy_rows<float>(tile.col_range(0, c.cols), c);
}

// A block of `start`.
View<const float> block_of(View<const float> start, Index row, Index rows, Index col, Index cols) {
  if (start.data == nullptr) return start;
  return {start.row(row) + col, rows, cols, start.stride};
}

// The terms of the sum that a tile needs: rows [first, end) of b, and columns [first, end) of a.
struct Range {
  Index first;
  Index end;
};

Range needed(const Triangle& triangle, bool transposed, Index row, Index rows, Index col, Index depth) {
  constexpr Index whole = 16;                             // columns up to a multiple of this are numbers
  const Index last = row + rows - 1 + triangle.diagonal;  // the last column left of the diagonal
  switch (triangle.of) {
    case Triangle::Of::left:
      if (transposed) return {std::clamp<Index>(row - triangle.diagonal, 0, depth), depth};
      return {0, std::clamp<Index>(last + 1, 0, depth)};
    case Triangle::Of::result:
      return {0, col / whole * whole <= last ? depth : 0};
    default:
      return {0, depth};
  }
}

// The triangle of a block that starts at this row, column and term of the sum.
Triangle of_block(const Triangle& triangle, bool transposed, Index row, Index col, Index k) {
  if (triangle.of == Triangle::Of::result) return {triangle.of, triangle.diagonal + row - col};
  return {triangle.of, triangle.diagonal + (transposed ? k - row : row - k)};
}

void multiply_block(const Strips& a, const Strips& b, Index depth, View<const float> start, View<float> c,
                    const Triangle& triangle, bool transposed) {
  for (Index j = 0; j < c.cols; j += tile_cols) {
    const Index cols = std::min(tile_cols, c.cols - j);
    for (Index i = 0; i < c.rows; i += tile_rows) {
      const Index rows = std::min(tile_rows, c.rows - i);
      const Range k = needed(triangle, transposed, i, rows, j, depth);
      if (k.first == k.end && (triangle.of == Triangle::Of::result || start.data == c.data)) continue;
      const View<float> tile = c.row_range(i, rows).col_range(j, cols);
      const View<const float> from = block_of(start, i, rows, j, cols);
      if (cols % lanes == 0) {
        multiply_shape(a.at(i).from(k.first), b.at(j).from(k.first), k.end - k.first, from, tile);
      } else {
        multiply_edge(a.at(i).from(k.first), b.at(j).from(k.first), k.end - k.first, from, tile);
      }
    }
  }
}

}  // namespace

void multiply_floats(const Factor<float>& a, const Factor<float>& b, View<float> c, float scale,
                     View<const float> start, Triangle triangle) {
  // Each thread allocates its copy buffers at its first product and keeps them.
  static thread_local AlignedBuffer<float> left_room(block_rows * block_depth);
  static thread_local AlignedBuffer<float> right_room(block_depth * block_cols);
  for (Index k = 0; k == 0 || k < b.rows(); k += block_depth) {
    const Index depth = std::min(block_depth, b.rows() - k);
    for (Index j = 0; j < c.cols; j += block_cols) {
      const Index cols = std::min(block_cols, c.cols - j);
      const Strips right =
          strips_of_columns(b.row_range(k, depth).col_range(j, cols), scale, right_room.data());
      for (Index i = 0; i < c.rows; i += block_rows) {
        const Index rows = std::min(block_rows, c.rows - i);
        const Strips left = strips_of_rows(a.row_range(i, rows).col_range(k, depth), left_room.data());
        const View<const float> from = k > 0 ? View<const float>(c) : start;
        multiply_block(left, right, depth, block_of(from, i, rows, j, cols),
                       c.row_range(i, rows).col_range(j, cols), of_block(triangle, a.transposed, i, j, k),
                       a.transposed);
      }
    }
  }
}

void transpose_floats(View<const float> x, View<float> y) { transpose_squares<lanes>(x, y); }

// With x = 1 + 2^-23: x² - (1 + 2^-22) is 2^-46, or 0 if x² is rounded.
bool gemm_is_fused() {
  constexpr float x = 1.0F + 0x1p-23F;
  const std::array<float, 2> a = {1.0F, x};
  const std::array<float, 2> b = {-1.0F - 0x1p-22F, x};
  float c = 0.0F;
  multiply_floats(View<const float>{a.data(), 1, 2}, View<const float>{b.data(), 2, 1}, View<float>{&c, 1, 1},
                  1.0F, {}, {});
  return c != 0.0F;
}

}  // namespace ordinal
