#include "framework/core/half.h"

#include <bit>
#include <cmath>

namespace ordinal {

// A value is a whole number of units in the last place of its binade; the least binade, 2^-14, also serves
// the numbers below it (subnormal). Rounding to whole units in the default mode is to nearest even, and a
// fraction that rounds up to 2^10 units carries into the exponent.
std::uint16_t to_half(float value) {
  const std::uint32_t sign = std::bit_cast<std::uint32_t>(value) >> 31U << 15U;
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | 0x7E00U);
  const float size = std::abs(value);
  if (size >= 65520.0F) return static_cast<std::uint16_t>(sign | 0x7C00U);  // half way to 2^16: infinity
  int exponent = size > 0.0F ? std::ilogb(size) : -14;
  if (exponent < -14) exponent = -14;
  const auto units = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(size, 10 - exponent)));
  const auto biased = static_cast<std::uint32_t>(exponent + 14) << 10U;
  return static_cast<std::uint16_t>(sign | (biased + units));
}

float from_half(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 0x1F;
  const int fraction = bits & 0x3FF;
  const float sign = (bits & 0x8000) != 0 ? -1.0F : 1.0F;
  if (exponent == 31) return fraction != 0 ? std::nanf("") : sign * HUGE_VALF;
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(fraction), -24);
  return sign * std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
}

std::uint16_t to_bfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>((bits >> 16U) | 0x40U);
  const std::uint32_t to_even = 0x7FFFU + ((bits >> 16U) & 1U);
  return static_cast<std::uint16_t>((bits + to_even) >> 16U);
}

float from_bfloat16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
}

}  // namespace ordinal
