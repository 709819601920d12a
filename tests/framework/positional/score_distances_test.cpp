// The distances of a block of scores, and how a table rounds them.
#include "framework/positional/score_distances.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <stdexcept>
#include <vector>

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
  EXPECT_EQ(whole_distance(std::nextafter(0.5, 0.0)), 0);
  EXPECT_EQ(whole_distance(std::nextafter(0.5F, 0.0F)), 0);
  EXPECT_EQ(whole_distance(4096.0), 4096);
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
