#include "experiments/experiment/dry_run.h"

#include <gtest/gtest.h>

namespace ordinal::experiments {
namespace {

std::vector<PlannedTraining> equal_trainings(std::size_t count, Index shards = 4) {
  return std::vector<PlannedTraining>(count, {.seconds = 60.0, .shards = shards});
}

TEST(Forecast, OneThreadDoesOneAfterTheOther) { EXPECT_DOUBLE_EQ(forecast(equal_trainings(9), {}), 540.0); }

TEST(Forecast, TheThreadsOfARankShareOutAmongItsJobs) {
  EXPECT_DOUBLE_EQ(forecast(equal_trainings(5), {.threads = 2, .jobs = 2}), 180.0);
  EXPECT_DOUBLE_EQ(forecast(equal_trainings(2), {.threads = 3, .jobs = 2, .gain = 0.5}), 60.0 / 1.25);
}

TEST(Forecast, MoreThreadsThanShardsDoNotHelp) {
  EXPECT_DOUBLE_EQ(forecast(equal_trainings(1, 4), {.threads = 64}), 15.0);
}

// A rank that has done its short trainings takes those that are left; one list for all.
TEST(Forecast, RanksTakeTrainingsFromOneList) {
  std::vector<PlannedTraining> trainings = equal_trainings(3, 1);
  trainings.insert(trainings.begin(), {.seconds = 180.0});
  EXPECT_DOUBLE_EQ(forecast(trainings, {.ranks = 2}), 180.0);
}

TEST(Forecast, RanksWithoutATrainingDoNotHelp) {
  EXPECT_DOUBLE_EQ(forecast(equal_trainings(2), {.ranks = 8}), 60.0);
}

// Rows that cannot be trained at their positions take no time.
TEST(Forecast, OfNothingToDoIsThatItTakesNoTime) {
  EXPECT_EQ(forecast({{.seconds = 0.0}}, {.ranks = 2, .threads = 2}), 0.0);
}

}  // namespace
}  // namespace ordinal::experiments
