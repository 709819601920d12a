// The distances of a block of scores, and how a table rounds them.
#include "framework/positional/score_distances.h"

#include <gtest/gtest.h>

#include <cmath>

#include "framework/positional/position_scheme.h"

namespace ordinal {
namespace {

TEST(FractionalDistances, HalvesRoundAwayFromZeroOnBothSides) {
  EXPECT_EQ(clipped_row(0.5, 4), 3);
  EXPECT_EQ(clipped_row(-0.5, 4), 5);
  EXPECT_EQ(clipped_row(2.5F, 4), 1);
  EXPECT_EQ(clipped_row(-2.5F, 4), 7);
  EXPECT_EQ(clipped_row(9.5, 4), 0);
  EXPECT_EQ(clipped_row(std::nextafter(0.5F, 0.0F), 4), 4);
  EXPECT_EQ(clipped_row(4096.0, 4096), 0);
}

// Token m of ℓ tokens interpolated into L positions stands at m L/ℓ. In doubles, some of these halves fall below one half.
TEST(FractionalDistances, OfInterpolatedPositionsAreRoundedAsFractionsAre) {
  PositionScheme interpolated = make_position_scheme("interpolated");
  for (const Index train_length : {8, 20, 64, 100}) {
    interpolated.train_length = train_length;
    for (Index seq_len = train_length + 1; seq_len <= 512; ++seq_len) {
      const Positions positions = make_positions(interpolated, 1, seq_len);
      const double step = positions.of(0)[1];
      for (Index tokens = 1; tokens < seq_len; ++tokens) {
        const double distance = static_cast<double>(tokens) * step;
        const Index rounded = (2 * tokens * train_length + seq_len) / (2 * seq_len);
        ASSERT_EQ(clipped_row(distance, 100), 100 - rounded)
            << tokens << " of " << seq_len << " in " << train_length;
        ASSERT_EQ(clipped_row(static_cast<float>(-distance), 100), 100 + rounded)
            << tokens << " of " << seq_len;
      }
    }
  }
}

}  // namespace
}  // namespace ordinal
