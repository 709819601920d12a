#include "framework/storage/byte_count.h"

#include <gtest/gtest.h>

#include <limits>

namespace ordinal {
namespace {

constexpr Index kLargest = std::numeric_limits<Index>::max();

TEST(CheckedByteCount, IsTheProduct) {
  EXPECT_EQ(checked_byte_count({2, 3}, 8), 48);
  EXPECT_EQ(checked_byte_count({}, 4), 4);
  EXPECT_EQ(checked_byte_count({kLargest}, 1), kLargest);
}

TEST(CheckedByteCount, IsZeroForAnEmptyArray) {
  EXPECT_EQ(checked_byte_count({0, 4}, 8), 0);
  EXPECT_EQ(checked_byte_count({4, 0}, 8), 0);
}

TEST(CheckedByteCount, IsNothingWhenTheProductOverflows) {
  EXPECT_EQ(checked_byte_count({kLargest}, 2), std::nullopt);
  // The product is 2^64 + 4, which wraps to 4.
  EXPECT_EQ(checked_byte_count({4194305, 4194305, 211106198978564}, 4), std::nullopt);
  EXPECT_EQ(checked_byte_count({0, kLargest, kLargest}, 1), std::nullopt);
  EXPECT_EQ(checked_byte_count({kLargest, kLargest, 0}, 1), std::nullopt);
}

TEST(CheckedByteCount, IsNothingForANegativeExtent) {
  EXPECT_EQ(checked_byte_count({-1, 0}, 4), std::nullopt);
}

}  // namespace
}  // namespace ordinal
