// Tensor owns memory, View refers to it. Every array that a layer touches is a row-major matrix: `rows`
// tokens of `cols` features, with `stride` elements from one row to the next, so a head of Q is a view, not a
// copy. Read core/parameters.h and core/pass.h next.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ordinal {

using Index = std::ptrdiff_t;
using Shape = std::vector<Index>;
/// Tokens are whole numbers in [0, vocab_size).
using Token = std::int32_t;

/// A target that adds no loss: padding, or the prompt of a task that scores only the answer.
inline constexpr Token ignore_index = -1;

/// Product of all extents; 1 for a scalar. Nothing for a negative extent, or if the product, with extents of zero counted as one,
/// is more elements than fit in any memory.
std::optional<Index> checked_element_count(const Shape& shape);
/// The same, but throws std::invalid_argument.
Index element_count(const Shape& shape);

/// "(2, 32, 64)", for messages.
std::string to_string(const Shape& shape);

/// Whether views check that rows, columns and ranges lie within them; CMake option ORDINAL_BOUNDS_CHECKS, which
/// the presets dev, asan and tsan turn on.
#ifdef ORDINAL_BOUNDS_CHECKS
inline constexpr bool checks_bounds = true;
#else
inline constexpr bool checks_bounds = false;
#endif

/// Throws std::logic_error for rows or columns [first, first + count) of a view that has `size` of them.
[[noreturn]] void refuse_range(const char* what, Index first, Index count, Index size);

/// A non-owning row-major matrix (rows, cols); element (r, c) is data[r * stride + c]. Access outside it is
/// undefined, or throws std::logic_error if checks_bounds.
template <typename T>
struct View {
  T* data = nullptr;
  Index rows = 0;
  Index cols = 0;
  Index stride = 0;

  View() = default;
  View(T* first, Index row_count, Index col_count) : View(first, row_count, col_count, col_count) {}
  View(T* first, Index row_count, Index col_count, Index row_stride)
      : data(first), rows(row_count), cols(col_count), stride(row_stride) {}

  /// A View<T> is also a View<const T>.
  template <typename U>
  requires(std::is_same_v<T, const U>)
      View(const View<U>& other)  // NOLINT(google-explicit-constructor): implicit on purpose
      : View(other.data, other.rows, other.cols, other.stride) {}

  T* row(Index r) const {
    check("row", r, 1, rows);
    return data + r * stride;
  }
  T& operator()(Index r, Index c) const {
    check("column", c, 1, cols);
    return row(r)[c];
  }
  Index size() const { return rows * cols; }

  /// Rows [first, first + count) / columns [first, first + count), in place.
  View row_range(Index first, Index count) const {
    check("rows", first, count, rows);
    return {data + first * stride, count, cols, stride};
  }
  View col_range(Index first, Index count) const {
    check("columns", first, count, cols);
    return {data + first, rows, count, stride};
  }

 private:
  static void check(const char* what, Index first, Index count, Index size) {
    if constexpr (checks_bounds) {
      if (first < 0 || count < 0 || count > size - first) refuse_range(what, first, count, size);
    }
  }
};

/// Copies `from` to `to`, which has the same number of rows and columns.
template <typename T>
void copy_rows(std::type_identity_t<View<const T>> from, View<T> to) {
  for (Index r = 0; r < to.rows; ++r) std::copy_n(from.row(r), to.cols, to.row(r));
}

/// `count` elements from number `first` on.
template <typename T>
std::span<T> subspan(std::type_identity_t<std::span<T>> all, Index first, Index count) {
  return all.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
}

/// `count` rounded up so that what follows stays aligned: to a multiple of 64 bytes of float.
constexpr Index aligned_size(Index count) {
  constexpr Index alignment = 16;
  return (count + alignment - 1) / alignment * alignment;
}

/// Allocates memory that starts at a multiple of 64 bytes.
template <typename T>
struct Aligned {
  using value_type = T;
  Aligned() = default;
  template <typename U>
  Aligned(const Aligned<U>& /*other*/) {}  // NOLINT(google-explicit-constructor): as allocators are
  T* allocate(std::size_t count) {
    return static_cast<T*>(::operator new (count * sizeof(T), std::align_val_t{64}));
  }
  void deallocate(T* memory, std::size_t /*count*/) { ::operator delete (memory, std::align_val_t{64}); }
  bool operator==(const Aligned&) const = default;
};
template <typename T>
using AlignedBuffer = std::vector<T, Aligned<T>>;

/// Throws std::invalid_argument unless a tensor of this shape has that many values.
void check_value_count(const Shape& shape, std::size_t values);

/// Owns a row-major array of any rank. view() folds the leading dimensions into rows: (B, L, d) -> (B*L, d).
/// Throws std::invalid_argument as element_count() does, std::bad_alloc if there is no memory for the elements.
template <typename T>
class Tensor {
 public:
  Tensor() = default;
  explicit Tensor(Shape shape)
      : shape_(std::move(shape)), buffer_(static_cast<std::size_t>(element_count(shape_))) {}
  Tensor(Shape shape, std::span<const T> values) : Tensor(std::move(shape)) {
    check_value_count(shape_, values.size());
    std::ranges::copy(values, data());
  }

  const Shape& shape() const { return shape_; }
  Index size() const { return std::ssize(buffer_); }
  T* data() { return buffer_.data(); }
  const T* data() const { return buffer_.data(); }
  std::span<T> span() { return buffer_; }
  std::span<const T> span() const { return buffer_; }
  View<T> view() { return {data(), rows(), cols()}; }
  View<const T> view() const { return {data(), rows(), cols()}; }
  T& operator()(Index r, Index c) { return view()(r, c); }
  const T& operator()(Index r, Index c) const { return view()(r, c); }

 private:
  Index cols() const { return shape_.empty() ? size() : shape_.back(); }
  Index rows() const {
    const Index width = cols();
    return width == 0 ? 0 : size() / width;
  }

  Shape shape_;
  AlignedBuffer<T> buffer_;
};

}  // namespace ordinal

/// Compiles a class template for both scalar types, at the end of the file that defines its members.
// NOLINTBEGIN(bugprone-macro-parentheses): a class name cannot be parenthesised
#define ORDINAL_INSTANTIATE(Class) \
  template class Class<float>;     \
  template class Class<double>
// NOLINTEND(bugprone-macro-parentheses)
