#include "experiments/experiment/forecast.h"

#include <gtest/gtest.h>

namespace ordinal::experiments {
namespace {

std::vector<PlannedTraining> equal_trainings(std::size_t count, Index shards = 4) {
  return std::vector<PlannedTraining>(count, {.seconds = 60.0, .shards = shards});
}

TEST(Forecast, OneThreadDoesOneAfterTheOther) {
  const Forecast nine = forecast(equal_trainings(9), {});
  EXPECT_DOUBLE_EQ(nine.seconds, 540.0);
  EXPECT_DOUBLE_EQ(nine.bound, 540.0);
  EXPECT_DOUBLE_EQ(nine.efficiency, 1.0);
}

TEST(Forecast, TheThreadsOfARankShareOutAmongItsJobs) {
  EXPECT_DOUBLE_EQ(forecast(equal_trainings(5), {.threads = 2, .jobs = 2}).seconds, 180.0);
  EXPECT_DOUBLE_EQ(forecast(equal_trainings(2), {.threads = 3, .jobs = 2, .gain = 0.5}).seconds, 60.0 / 1.25);
}

TEST(Forecast, MoreThreadsThanShardsDoNotHelp) {
  EXPECT_DOUBLE_EQ(forecast(equal_trainings(1, 4), {.threads = 64}).seconds, 15.0);
  EXPECT_DOUBLE_EQ(forecast(equal_trainings(1, 4), {.threads = 64}).efficiency, 4.0 / 64.0);
}

// A rank that has done its short trainings takes those that are left; one list for all.
TEST(Forecast, RanksTakeTrainingsFromOneList) {
  std::vector<PlannedTraining> trainings = equal_trainings(3, 1);
  trainings.insert(trainings.begin(), {.seconds = 180.0});
  const Forecast four = forecast(trainings, {.ranks = 2});
  EXPECT_DOUBLE_EQ(four.seconds, 180.0);
  EXPECT_DOUBLE_EQ(four.efficiency, 1.0);
}

TEST(Forecast, RanksWithoutATrainingDoNotHelp) {
  EXPECT_DOUBLE_EQ(forecast(equal_trainings(2), {.ranks = 8}).seconds, 60.0);
}

// Rows that cannot be trained at their positions take no time.
TEST(Forecast, OfNothingToDoIsThatItTakesNoTime) {
  const Forecast none = forecast({{.seconds = 0.0}}, {.ranks = 2, .threads = 2});
  EXPECT_EQ(none.seconds, 0.0);
  EXPECT_EQ(none.efficiency, 1.0);
}

TEST(Forecast, NeverBeatsItsBound) {
  std::vector<PlannedTraining> trainings;
  for (int i = 0; i < 75; ++i) trainings.push_back({.seconds = 30.0 + i % 7 * 10.0, .shards = 2});
  for (const int threads : {1, 2, 16, 64}) {
    const Forecast all = forecast(trainings, {.threads = threads, .jobs = threads, .gain = 0.9});
    EXPECT_GE(all.seconds, all.bound * (1.0 - 1e-12));
    EXPECT_LE(all.seconds, 2.0 * all.bound) << "a list schedule is within twice the optimum";
  }
}

}  // namespace
}  // namespace ordinal::experiments
