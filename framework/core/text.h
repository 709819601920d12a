// Untrusted text: makes it safe to show, and parses numbers. The whole text must be a number, so that "-1" is never read as a
// large unsigned number and "3x" never as 3.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ordinal {

/// The text with control characters escaped so that terminals do not obey them: as \x1b, in UTF-8 as \xc2\x9b.
std::string printable(std::string_view text);

/// The same for a text of several lines: keeps its line breaks and tabs.
std::string printable_lines(std::string_view text);

/// `text` as a whole number, or nothing if it is not one.
inline std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// `text` as a finite number, or nothing if it is not one.
inline std::optional<double> parse_real(std::string_view text) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace ordinal
