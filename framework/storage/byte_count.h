// The size in bytes of an array whose shape comes from a file and therefore cannot be trusted. For shapes
// that the program made itself, element_count in core/tensor.h is enough.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>

#include "framework/core/tensor.h"

namespace ordinal {

/// element_bytes * product of the extents; nothing if an extent is negative, or if that product, with extents
/// of zero counted as one, exceeds the largest Index (so no partial product overflows in any order).
inline std::optional<Index> checked_byte_count(const Shape& shape, Index element_bytes) {
  Index bytes = element_bytes;
  bool empty = false;
  for (const Index extent : shape) {
    if (extent < 0) return std::nullopt;
    empty = empty || extent == 0;
    const Index factor = std::max<Index>(extent, 1);
    if (bytes > std::numeric_limits<Index>::max() / factor) return std::nullopt;
    bytes *= factor;
  }
  return empty ? 0 : bytes;
}

}  // namespace ordinal
