// Lengths of UTF-8 text, in characters instead of bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace ordinal::experiments {

/// Whether a byte begins a character.
inline bool begins_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }

/// Columns that a text takes on a terminal, assuming that each character is one column wide.
inline std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_character));
}

}  // namespace ordinal::experiments
