#include "framework/core/tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

namespace ordinal {

std::optional<Index> checked_element_count(const Shape& shape) {
  constexpr Index largest = std::numeric_limits<Index>::max() / static_cast<Index>(sizeof(double));
  Index count = 1;
  bool empty = false;
  for (const Index extent : shape) {
    const Index factor = std::max<Index>(extent, 1);
    if (extent < 0 || count > largest / factor) return std::nullopt;
    count *= factor;
    empty = empty || extent == 0;
  }
  return empty ? 0 : count;
}

Index element_count(const Shape& shape) {
  if (const auto count = checked_element_count(shape)) return *count;
  const bool negative = std::ranges::any_of(shape, [](Index extent) { return extent < 0; });
  throw std::invalid_argument(fmt::format(
      "Shape {}: {}", to_string(shape), negative ? "negative extent" : "more elements than memory can hold"));
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

void check_value_count(const Shape& shape, std::size_t values) {
  if (std::cmp_equal(values, element_count(shape))) return;
  throw std::invalid_argument(fmt::format("Tensor of shape {}: got {} values, expected {}", to_string(shape),
                                          values, element_count(shape)));
}

}  // namespace ordinal
