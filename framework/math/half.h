// 16-bit floating-point numbers, for storage only: arithmetic is done in float. Both conversions round once, to nearest
// even. Converting a double through float would round it twice.
#pragma once

#include <cstdint>

namespace ordinal {

/// IEEE 754 binary16: 1 sign bit, 5 of exponent, 10 of fraction; largest finite value 65,504.
std::uint16_t to_half(double value);
float from_half(std::uint16_t bits);

/// The upper half of a float: 1 sign bit, 8 of exponent, 7 of fraction.
std::uint16_t to_bfloat16(double value);
float from_bfloat16(std::uint16_t bits);

}  // namespace ordinal
