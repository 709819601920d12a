#include "tests/framework/largest_difference.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace ordinal::testing {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(LargestDifference, IsThatOfAnyElement) {
  const std::vector<double> a = {1.0, -2.0, 3.0};
  EXPECT_EQ(largest_difference(a, a), 0.0);
  EXPECT_EQ(largest_difference(a, std::vector<double>{1.5, -2.0, 3.0}), 0.5);
  EXPECT_EQ(largest_difference(a, std::vector<float>{1.0F, -4.0F, 3.5F}), 2.0);
}

TEST(LargestDifference, OfNanAnywhereOnEitherSideOrOfAnotherSizeFailsEveryBound) {
  const std::vector<double> a = {1.0, -2.0, 3.0};
  for (std::size_t place = 0; place < a.size(); ++place) {
    std::vector<double> broken = {1.5, -2.0, 3.5};
    broken[place] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(largest_difference(a, broken), infinity) << place;
    EXPECT_EQ(largest_difference(broken, a), infinity) << place;
    EXPECT_EQ(largest_difference(broken, broken), infinity) << place;
  }
  EXPECT_EQ(largest_difference(a, std::vector<double>{1.0, -2.0}), infinity);
}

TEST(LargerError, OfNanIsInfiniteInAnyOrder) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(larger_error(1.0, 2.0), 2.0);
  EXPECT_EQ(larger_error(2.0, 1.0), 2.0);
  EXPECT_EQ(larger_error(nan, 1.0), infinity);
  EXPECT_EQ(larger_error(1.0, nan), infinity);
}

}  // namespace
}  // namespace ordinal::testing
