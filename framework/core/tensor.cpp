#include "framework/core/tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

namespace ordinal {

Index element_count(const Shape& shape) {
  constexpr Index largest = std::numeric_limits<Index>::max() / static_cast<Index>(sizeof(double));
  Index count = 1;
  for (const Index extent : shape) {
    if (extent < 0) throw std::invalid_argument(fmt::format("Shape {}: negative extent", to_string(shape)));
    if (extent > 0 && count > largest / extent)
      throw std::invalid_argument(
          fmt::format("Shape {}: more elements than memory can hold", to_string(shape)));
    count *= extent;
  }
  return count;
}

std::string to_string(const Shape& shape) {
  std::string text;
  for (const Index extent : shape) text += (text.empty() ? "" : ", ") + std::to_string(extent);
  return "(" + text + ")";
}

void refuse_range(const char* what, Index first, Index count, Index size) {
  throw std::logic_error(
      fmt::format("View: got {} [{}, {}), expected within [0, {})", what, first, first + count, size));
}

template <typename T>
Tensor<T>::Tensor(Shape shape) : shape_(std::move(shape)), buffer_(element_count(shape_)) {}

template <typename T>
Tensor<T>::Tensor(Shape shape, std::span<const T> values) : Tensor(std::move(shape)) {
  if (static_cast<Index>(values.size()) != size()) {
    throw std::invalid_argument(fmt::format("Tensor of shape {}: got {} values, expected {}",
                                            to_string(shape_), values.size(), size()));
  }
  std::copy(values.begin(), values.end(), data());
}

ORDINAL_INSTANTIATE(Tensor);

}  // namespace ordinal
