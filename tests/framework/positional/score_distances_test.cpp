// The distances of a block of scores, and how a table rounds them.
#include "framework/positional/score_distances.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <stdexcept>
#include <vector>

#include "framework/positional/position_scheme.h"

namespace ordinal {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

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

// A block that violates the precondition would get the distances of other tokens.
TEST(ScoreDistances, RefuseQueriesThatDoNotStandWhereTheirKeysDo) {
  const ParameterLayout layout;
  const Parameters<double> none(layout);
  Pass<double> pass(none);
  const Tensor<double> rows({3, 2});
  const std::vector<double> keys = {0, 1, 2};
  const std::vector<double> later = {5, 6};
  ScoreBlock<double> block{.first_query = 1,
                           .query = rows.view().row_range(0, 2),
                           .key = rows.view(),
                           .query_positions = std::span(keys).last(2),
                           .key_positions = keys};
  pass.begin({.positions = Positions::contiguous(1, 3)});
  EXPECT_NO_THROW(ScoreDistances<double>(block, pass));
  block.query_positions = later;
  EXPECT_THAT(
      [&] { ScoreDistances<double>(block, pass); },
      ThrowsMessage<std::invalid_argument>("ScoreDistances: got query 0 at position 5, expected 1, where "
                                           "its key stands"));
  block.query_positions = keys;
  EXPECT_THAT([&] { ScoreDistances<double>(block, pass); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("got 3 and 3 positions of 2 queries")));
}

}  // namespace
}  // namespace ordinal
