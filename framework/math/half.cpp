#include "framework/math/half.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace ordinal {

namespace {

// A value is a whole number of units in the last place of its binade. The lowest binade also covers subnormal numbers
// below it. In the default mode, rounding to whole units is to nearest even. A fraction that rounds up to a full
// binade carries into the exponent, and in the highest binade into infinity.
std::uint16_t shortened(double value, int fraction_bits, int least_exponent) {
  const std::uint32_t sign = std::signbit(value) ? 0x8000U : 0U;
  const std::uint32_t infinity = 0x8000U - (1U << fraction_bits);
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | infinity | 1U << (fraction_bits - 1));
  const double size = std::abs(value);
  if (std::isinf(size)) return static_cast<std::uint16_t>(sign | infinity);
  const int exponent = size > 0.0 ? std::max(std::ilogb(size), least_exponent) : least_exponent;
  const auto units = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(size, fraction_bits - exponent)));
  const auto biased = static_cast<std::uint32_t>(exponent - least_exponent) << fraction_bits;
  return static_cast<std::uint16_t>(sign | std::min(biased + units, infinity));
}

}  // namespace

std::uint16_t to_half(double value) { return shortened(value, 10, -14); }

float from_half(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 0x1F;
  const int fraction = bits & 0x3FF;
  const float sign = (bits & 0x8000) != 0 ? -1.0F : 1.0F;
  if (exponent == 31) return fraction != 0 ? std::nanf("") : sign * HUGE_VALF;
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(fraction), -24);
  return sign * std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
}

std::uint16_t to_bfloat16(double value) { return shortened(value, 7, -126); }

float from_bfloat16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
}

}  // namespace ordinal
