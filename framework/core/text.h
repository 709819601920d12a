// Text from outside: what is safe to show of it, and the numbers in it. The whole text must be a number, so that "-1" is never a
// large unsigned number and "3x" never 3.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ordinal {

/// The text with each control character, which terminals obey, written as \x1b, those of UTF-8 as \xc2\x9b.
std::string printable(std::string_view text);

/// The same for a text of several lines: its line breaks and tabs stay.
std::string printable_lines(std::string_view text);

/// The whole number that `text` is, or nothing.
inline std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The finite number that `text` is, or nothing.
inline std::optional<double> parse_real(std::string_view text) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace ordinal
