// Compiled with -ffp-contract=fast: in `sum += left * right`, the only sum of this file, the compiler uses fused multiply-adds.
#include "framework/core/gemm.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace ordinal {
namespace {

// A tile of the result stays in registers while the kernel sums over k: 6 rows, by as many vectors as leave registers for a
// row of b and an element of a. With 32 registers that is 24 of the result and 4 of b; with 16, 12 and 2.
#if defined(__AVX512F__)
constexpr Index lanes = 16;
constexpr Index vectors = 4;
#elif defined(__AVX__)
constexpr Index lanes = 8;
constexpr Index vectors = 2;
#elif defined(__aarch64__)
constexpr Index lanes = 4;
constexpr Index vectors = 4;
#else
constexpr Index lanes = 4;
constexpr Index vectors = 2;
#endif
constexpr Index tile_rows = 6;
constexpr Index tile_cols = lanes * vectors;

// A product is cut so that the part of a in use stays in the first cache, and that of b in the second.
constexpr Index block_rows = 8 * tile_rows;
constexpr Index block_cols = 128;
constexpr Index block_depth = 256;

using Vector [[gnu::vector_size(lanes * sizeof(float))]] = float;
using Quad [[gnu::vector_size(4 * sizeof(float))]] = float;

template <typename V>
V load(const float* from) {
  V values;
  std::memcpy(&values, from, sizeof(values));
  return values;
}

template <typename V>
void store(const V& values, float* to) {
  std::memcpy(to, &values, sizeof(values));
}

// Columns of four rows become rows of four columns.
void transpose_quad(View<const float> x, View<float> y) {
  const auto a = load<Quad>(x.row(0));
  const auto b = load<Quad>(x.row(1));
  const auto c = load<Quad>(x.row(2));
  const auto d = load<Quad>(x.row(3));
  const Quad ab = __builtin_shufflevector(a, b, 0, 4, 1, 5);  // a0 b0 a1 b1
  const Quad cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
  const Quad ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);  // a2 b2 a3 b3
  const Quad cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  store<Quad>(__builtin_shufflevector(ab, cd, 0, 1, 4, 5), y.row(0));
  store<Quad>(__builtin_shufflevector(ab, cd, 2, 3, 6, 7), y.row(1));
  store<Quad>(__builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5), y.row(2));
  store<Quad>(__builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7), y.row(3));
}

// A block of a factor as the kernel reads it: strips of its rows, if it is a, or columns, if it is b. Row i, the first of a
// strip, starts at data + i * step; from there the next row is `across` away, and the next number of the sum `along`.
struct Strips {
  const float* data;
  Index step;
  Index across;
  Index along;

  Strips at(Index i) const { return {data + i * step, step, across, along}; }
  Strips from(Index k) const { return {data + k * along, step, across, along}; }
};

// A block of a, (rows, depth). Its columns, if they lie far apart, are copied by strips of tile_rows.
Strips strips_of_rows(const Factor<float>& a, float* room) {
  constexpr Index longest_walk = 128;
  const View<const float>& view = a.view;
  if (!a.transposed) return {view.data, view.stride, view.stride, 1};
  if (view.rows <= longest_walk && view.stride <= longest_walk) return {view.data, 1, 1, view.stride};
  const Index whole = view.cols / tile_rows * tile_rows;
  for (Index k = 0; k < view.rows; ++k) {
    const float* from = view.row(k);
    float* to = room + k * tile_rows;
    for (Index i = 0; i < whole; i += tile_rows) {
      std::memcpy(to + i * view.rows, from + i, tile_rows * sizeof(float));
    }
    std::copy(from + whole, from + view.cols, to + whole * view.rows);
  }
  return {room, view.rows, 1, tile_rows};
}

// y = x, at most tile_cols wide, and zeros up to there.
void copy_strip(const Factor<float>& x, View<float> y) {
  const Index cols = x.cols();
  if (x.transposed) {
    transpose_floats(x.view, y.col_range(0, cols));
  } else {
    for (Index k = 0; k < y.rows; ++k) {
      if (cols == tile_cols) std::memcpy(y.row(k), x.view.row(k), tile_cols * sizeof(float));
      if (cols < tile_cols) std::copy_n(x.view.row(k), cols, y.row(k));
    }
  }
  for (Index k = 0; k < y.rows && cols < tile_cols; ++k)
    std::fill(y.row(k) + cols, y.row(k) + tile_cols, 0.0F);
}

// A block of b, (depth, cols), times the scale: copied by strips of tile_cols.
Strips strips_of_columns(const Factor<float>& b, float scale, float* room) {
  for (Index j = 0; j < b.cols(); j += tile_cols) {
    const View<float> strip{room + j * b.rows(), b.rows(), tile_cols};
    copy_strip(b.col_range(j, std::min(tile_cols, b.cols() - j)), strip);
    if (scale != 1.0F) std::for_each_n(strip.data, strip.size(), [&](float& x) { x *= scale; });
  }
  return {room, b.rows(), 1, tile_cols};
}

// c = start + a b for a tile, c (rows, tile_cols).
template <Index rows>
inline void multiply_tile(const Strips& a, const Strips& b, Index depth, View<const float> start,
                          View<float> c) {
  Vector sums[rows]
             [vectors];  // NOLINT(modernize-avoid-c-arrays): GCC 12 keeps a std::array of vectors in memory
  for (Index i = 0; i < rows; ++i) {
    for (Index v = 0; v < vectors; ++v)
      sums[i][v] = start.data == nullptr ? Vector{} : load<Vector>(start.row(i) + v * lanes);
  }
  for (Index k = 0; k < depth; ++k) {
    Vector right[vectors];  // NOLINT(modernize-avoid-c-arrays)
    for (Index v = 0; v < vectors; ++v) right[v] = load<Vector>(b.data + k * b.along + v * lanes);
    for (Index i = 0; i < rows; ++i) {
      const float left = a.data[i * a.across + k * a.along];
      for (Index v = 0; v < vectors; ++v) sums[i][v] += left * right[v];
    }
  }
  for (Index i = 0; i < rows; ++i) {
    for (Index v = 0; v < vectors; ++v) store(sums[i][v], c.row(i) + v * lanes);
  }
}

void multiply_tile(const Strips& a, const Strips& b, Index depth, View<const float> start, View<float> c) {
  switch (c.rows) {
    case 6:
      return multiply_tile<6>(a, b, depth, start, c);
    case 5:
      return multiply_tile<5>(a, b, depth, start, c);
    case 4:
      return multiply_tile<4>(a, b, depth, start, c);
    case 3:
      return multiply_tile<3>(a, b, depth, start, c);
    case 2:
      return multiply_tile<2>(a, b, depth, start, c);
    default:
      return multiply_tile<1>(a, b, depth, start, c);
  }
}

// The same for fewer columns, by way of a whole tile.
void multiply_edge(const Strips& a, const Strips& b, Index depth, View<const float> start, View<float> c) {
  alignas(64) std::array<float, tile_rows * tile_cols> memory{};
  const View<float> tile{memory.data(), c.rows, tile_cols};
  if (start.data != nullptr) copy_rows(start, tile.col_range(0, c.cols));
  multiply_tile(a, b, depth, tile, tile);
  copy_rows<float>(tile.col_range(0, c.cols), c);
}

// A part of `start`.
View<const float> block_of(View<const float> start, Index row, Index rows, Index col, Index cols) {
  if (start.data == nullptr) return start;
  return {start.row(row) + col, rows, cols, start.stride};
}

// Rows [first, end) of b, and columns of a, are those of the sum that a tile of these rows and columns needs.
struct Range {
  Index first;
  Index end;
};

Range needed(const Triangle& triangle, bool transposed, Index row, Index rows, Index col, Index depth) {
  constexpr Index whole = 16;                             // columns up to a multiple of it are numbers
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

// The triangle of a block whose first row, column and number of the sum are these.
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
      if (cols == tile_cols) {
        multiply_tile(a.at(i).from(k.first), b.at(j).from(k.first), k.end - k.first, from, tile);
      } else {
        multiply_edge(a.at(i).from(k.first), b.at(j).from(k.first), k.end - k.first, from, tile);
      }
    }
  }
}

}  // namespace

void multiply_floats(const Factor<float>& a, const Factor<float>& b, View<float> c, float scale,
                     View<const float> start, Triangle triangle) {
  // Each thread keeps its room for copies from its first product on.
  static thread_local const AlignedBuffer<float> left_room(block_rows * block_depth);
  static thread_local const AlignedBuffer<float> right_room(block_depth * block_cols);
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

void transpose_floats(View<const float> x, View<float> y) {
  const Index rows = x.rows / 4 * 4;
  const Index cols = x.cols / 4 * 4;
  for (Index r = 0; r < rows; r += 4) {
    for (Index c = 0; c < cols; c += 4) {
      transpose_quad(x.row_range(r, 4).col_range(c, 4), y.row_range(c, 4).col_range(r, 4));
    }
  }
  for (Index r = 0; r < x.rows; ++r) {
    for (Index c = r < rows ? cols : 0; c < x.cols; ++c) y(c, r) = x(r, c);
  }
}

int gemm_lanes() { return static_cast<int>(lanes); }

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
