// 16-bit numbers: known values, and a round trip of every one.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "framework/math/half.h"

namespace ordinal {
namespace {

TEST(Half, KnownValues) {
  EXPECT_EQ(to_half(1.0F), 0x3C00);
  EXPECT_EQ(to_half(-2.0F), 0xC000);
  EXPECT_EQ(to_half(65504.0F), 0x7BFF);
  EXPECT_EQ(to_half(0x1p-24F), 0x0001);
  EXPECT_EQ(to_half(0.1F), 0x2E66);
  EXPECT_EQ(to_half(-0.0F), 0x8000);
}

TEST(Half, RoundsToNearestEvenAndOverflowsToInfinity) {
  EXPECT_EQ(to_half(1.0F + 0x1p-11F), 0x3C00);      // a tie: to even
  EXPECT_EQ(to_half(1.0F + 3 * 0x1p-11F), 0x3C02);  // a tie: to even, upwards
  EXPECT_EQ(to_half(1.0F + 0x1p-11F + 0x1p-20F), 0x3C01);
  EXPECT_EQ(to_half(65519.0F), 0x7BFF);
  EXPECT_EQ(to_half(65520.0F), 0x7C00);
  EXPECT_EQ(to_half(0x1p-25F), 0x0000);
}

TEST(Half, EveryFiniteOneComesBack) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float value = from_half(static_cast<std::uint16_t>(bits));
    if (std::isnan(value)) continue;
    ASSERT_EQ(to_half(value), bits);
  }
}

TEST(Bfloat16, EveryFiniteOneComesBackAndRoundsToNearestEven) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float value = from_bfloat16(static_cast<std::uint16_t>(bits));
    if (std::isnan(value)) continue;
    ASSERT_EQ(to_bfloat16(value), bits);
  }
  EXPECT_EQ(to_bfloat16(1.0F + 0x1p-8F), 0x3F80);
  EXPECT_EQ(to_bfloat16(1.0F + 3 * 0x1p-8F), 0x3F82);
}

// Just past a tie; the nearest float is the tie itself, which would go down to even.
TEST(SixteenBits, RoundADoubleOnce) {
  EXPECT_EQ(to_half(1.0 + 0x1p-11 + 0x1p-40), 0x3C01);
  EXPECT_EQ(to_half(-(0x1p-25 + 0x1p-60)), 0x8001);
  EXPECT_EQ(to_bfloat16(1.0 + 0x1p-8 + 0x1p-40), 0x3F81);
  EXPECT_EQ(to_bfloat16(0x1p-134 + 0x1p-160), 0x0001);
  EXPECT_EQ(from_half(to_half(1e300)), HUGE_VALF);
  EXPECT_EQ(from_bfloat16(to_bfloat16(-1e300)), -HUGE_VALF);
}

TEST(SixteenBits, KeepNotANumberAndInfinity) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(std::isnan(from_half(to_half(nan))));
  EXPECT_TRUE(std::isnan(from_bfloat16(to_bfloat16(nan))));
  EXPECT_EQ(from_half(to_half(-infinity)), -infinity);
  EXPECT_EQ(from_bfloat16(to_bfloat16(infinity)), infinity);
}

}  // namespace
}  // namespace ordinal
