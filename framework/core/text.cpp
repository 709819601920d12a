#include "framework/core/text.h"

#include <fmt/format.h>

namespace ordinal {
namespace {

// Bytes of the control character at the start of a text; 0 if it does not start with one.
std::size_t control_bytes(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x20 || first == 0x7F) return 1;
  const bool is_c1 =
      first == 0xC2 && text.size() > 1 && (static_cast<unsigned char>(text[1]) & 0xE0U) == 0x80U;
  return is_c1 ? 2 : 0;
}

std::string shown_without(std::string_view text, std::string_view kept) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t control = kept.find(text[0]) == std::string_view::npos ? control_bytes(text) : 0;
    if (control == 0) shown += text[0];
    for (std::size_t i = 0; i < control; ++i)
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[i]));
    text.remove_prefix(control == 0 ? 1 : control);
  }
  return shown;
}

}  // namespace

std::string printable(std::string_view text) { return shown_without(text, ""); }
std::string printable_lines(std::string_view text) { return shown_without(text, "\n\t"); }

}  // namespace ordinal
