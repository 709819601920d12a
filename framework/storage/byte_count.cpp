#include "framework/storage/byte_count.h"

#include <algorithm>
#include <limits>

namespace ordinal {

std::optional<Index> checked_byte_count(const Shape& shape, Index element_bytes) {
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
