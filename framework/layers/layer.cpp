#include "framework/layers/layer.h"

#include <fmt/format.h>

#include <stdexcept>

namespace ordinal {

void refuse_width(std::string_view layer, Index got, Index expected) {
  throw std::invalid_argument(fmt::format(
      "{}: got rows of {} numbers, expected {} (its input_width; build it for the width of what it is given)",
      layer, got, expected));
}

}  // namespace ordinal
