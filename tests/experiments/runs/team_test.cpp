#include "experiments/runs/team.h"

#include <gtest/gtest.h>

namespace ordinal::experiments::testing {
namespace {

TEST(RanksPerTraining, AreAPowerOfTwoThatLeavesNoTrainingWithoutRanks) {
  EXPECT_EQ(ranks_per_training(1, 9, 8), 1);
  EXPECT_EQ(ranks_per_training(8, 9, 8), 1);
  EXPECT_EQ(ranks_per_training(8, 8, 8), 1);
  EXPECT_EQ(ranks_per_training(8, 3, 8), 2);
  EXPECT_EQ(ranks_per_training(8, 2, 8), 4);
  EXPECT_EQ(ranks_per_training(7, 1, 8), 4);
  EXPECT_EQ(ranks_per_training(8, 1, 2), 2);
  EXPECT_EQ(ranks_per_training(8, 0, 8), 8);
}

}  // namespace
}  // namespace ordinal::experiments::testing
