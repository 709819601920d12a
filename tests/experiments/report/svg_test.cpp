#include "experiments/report/svg.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ordinal::experiments {
namespace {

std::string texts(const std::vector<Tick>& ticks) {
  std::string text;
  for (const Tick& tick : ticks) text += tick.text + " ";
  return text;
}

TEST(RoundTicks, AreMultiplesOfOneTwoOrFiveTimesAPowerOfTen) {
  EXPECT_EQ(texts(round_ticks(0.0, 1.0, 5)), "0 0.2 0.4 0.6 0.8 1 ");
  EXPECT_EQ(texts(round_ticks(-1.0, 3.5, 5)), "−1 0 1 2 3 ");
  EXPECT_EQ(texts(round_ticks(0.0, 7.0, 20, 1.0)), "0 1 2 3 4 5 6 7 ");
}

// Values that differ only in rounding have no two multiples of a step between them, and counting steps would not end.
TEST(RoundTicks, OfValuesThatDifferOnlyInRoundingAreOne) {
  EXPECT_EQ(texts(round_ticks(3.0, 3.0, 8)), "3 ");
  EXPECT_EQ(texts(round_ticks(3.0, std::nextafter(3.0, 4.0), 8)), "3 ");
  EXPECT_EQ(texts(round_ticks(-1e-300, std::nextafter(-1e-300, 0.0), 8)), "-1e-300 ");
}

}  // namespace
}  // namespace ordinal::experiments
