#include "framework/core/printable.h"

#include <fmt/format.h>

namespace ordinal {

std::string printable(std::string_view text) {
  std::string shown;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    shown += byte < 0x20 || byte == 0x7F ? fmt::format("\\x{:02x}", byte) : std::string(1, c);
  }
  return shown;
}

}  // namespace ordinal
