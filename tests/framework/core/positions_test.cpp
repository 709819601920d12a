#include "framework/core/positions.h"
#include "tests/message_of.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ordinal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Positions, ContiguousOnesCountFromZeroForEverySequence) {
  const Positions positions = Positions::contiguous(3, 4);
  EXPECT_EQ(positions.batch(), 3);
  EXPECT_EQ(positions.seq_len(), 4);
  EXPECT_TRUE(positions.is_shared());
  for (const Index sequence : {0, 1, 2}) EXPECT_THAT(positions.of(sequence), ElementsAre(0.0, 1.0, 2.0, 3.0));
}

TEST(Positions, AnOffsetContinuesAnEarlierSequence) {
  EXPECT_THAT(Positions::contiguous(1, 3, 100.0).of(0), ElementsAre(100.0, 101.0, 102.0));
  EXPECT_THAT(Positions::contiguous(1, 2, -0.5).of(0), ElementsAre(-0.5, 0.5));
}

TEST(Positions, SharedOnesAreAnyRealNumbers) {
  const Positions positions = Positions::shared(2, {0.0, 2.5, -1.0});
  EXPECT_EQ(positions.batch(), 2);
  EXPECT_EQ(positions.seq_len(), 3);
  EXPECT_TRUE(positions.is_shared());
  EXPECT_THAT(positions.of(1), ElementsAre(0.0, 2.5, -1.0));
}

TEST(Positions, EachSequenceMayHaveItsOwn) {
  const Positions positions = Positions::per_sequence(2, {0.0, 1.0, 5.0, 7.0, 8.0, 9.0});
  EXPECT_EQ(positions.batch(), 2);
  EXPECT_EQ(positions.seq_len(), 3);
  EXPECT_FALSE(positions.is_shared());
  EXPECT_THAT(positions.of(0), ElementsAre(0.0, 1.0, 5.0));
  EXPECT_THAT(positions.of(1), ElementsAre(7.0, 8.0, 9.0));
}

TEST(Positions, UnequalSequencesAreAnError) {
  EXPECT_THAT(message_of<std::invalid_argument>([] {
                Positions::per_sequence(2, {0.0, 1.0, 2.0});
              }),
              HasSubstr("got 3 values for 2 sequences"));
  EXPECT_THROW(Positions::per_sequence(0, {}), std::invalid_argument);
}

TEST(Positions, NoneAreOfNoSequence) {
  EXPECT_EQ(Positions().batch(), 0);
  EXPECT_EQ(Positions().seq_len(), 0);
}

}  // namespace
}  // namespace ordinal
