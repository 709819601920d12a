#include "experiments/runs/schedule.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace ordinal::experiments {
namespace {

std::vector<PlannedTraining> equal_trainings(std::size_t count, Index shards = 4) {
  return std::vector<PlannedTraining>(count, {.seconds = 60.0, .shards = shards});
}

TEST(Schedule, OneThreadDoesOneAfterTheOther) {
  const Schedule schedule = simulate(equal_trainings(9), {});
  EXPECT_DOUBLE_EQ(schedule.seconds, 540.0);
  EXPECT_DOUBLE_EQ(schedule.bound, 540.0);
  EXPECT_DOUBLE_EQ(schedule.efficiency, 1.0);
}

// Two pairs, then the fifth on both threads.
TEST(Schedule, TheLastTrainingGetsTheThreadsOfTheOthers) {
  const Schedule schedule = simulate(equal_trainings(5), {.threads = 2, .jobs = 2, .gain = 0.5});
  EXPECT_DOUBLE_EQ(schedule.seconds, 60.0 + 60.0 + 60.0 / 1.5);
  EXPECT_DOUBLE_EQ(simulate(equal_trainings(5, 1), {.threads = 2, .jobs = 2}).seconds, 180.0);
}

TEST(Schedule, MoreThreadsThanShardsDoNotHelp) {
  EXPECT_DOUBLE_EQ(simulate(equal_trainings(1, 4), {.threads = 64}).seconds, 15.0);
  EXPECT_DOUBLE_EQ(simulate(equal_trainings(1, 4), {.threads = 64}).efficiency, 4.0 / 64.0);
}

// A rank that has done its short trainings takes those that are left; one list for all.
TEST(Schedule, RanksTakeTrainingsFromOneList) {
  std::vector<PlannedTraining> trainings = equal_trainings(3, 1);
  trainings.insert(trainings.begin(), {.seconds = 180.0});
  const Schedule schedule = simulate(trainings, {.ranks = 2});
  EXPECT_DOUBLE_EQ(schedule.seconds, 180.0);
  EXPECT_DOUBLE_EQ(schedule.efficiency, 1.0);
}

TEST(Schedule, ATrainingThatRanksShareExchangesItsGradients) {
  const std::vector<PlannedTraining> one = {{.seconds = 80.0, .exchange = 1.0, .shards = 8}};
  EXPECT_DOUBLE_EQ(simulate(one, {.ranks = 4, .threads = 2}).seconds, 80.0 / 8.0 + 1.5);
  EXPECT_DOUBLE_EQ(simulate(one, {.ranks = 1, .threads = 8}).seconds, 80.0 / 8.0);
  EXPECT_DOUBLE_EQ(simulate(one, {.ranks = 3, .threads = 1}).seconds, 80.0 / 2.0 + 1.0) << "a power of two";
}

TEST(Schedule, NeverBeatsItsBound) {
  std::vector<PlannedTraining> trainings;
  for (int i = 0; i < 75; ++i) trainings.push_back({.seconds = 30.0 + i % 7 * 10.0, .shards = 2});
  for (const int threads : {1, 2, 16, 64, 1024}) {
    const Schedule schedule = simulate(trainings, {.threads = threads, .jobs = threads, .gain = 0.9});
    EXPECT_GE(schedule.seconds, schedule.bound * (1.0 - 1e-12));
    EXPECT_LE(schedule.seconds, 2.0 * schedule.bound) << "a list schedule is within twice the optimum";
  }
}

TEST(Schedule, RefusesNothingToDo) {
  EXPECT_THROW(simulate({}, {}), std::invalid_argument);
  EXPECT_THROW(simulate(equal_trainings(1), {.ranks = 0}), std::invalid_argument);
}

}  // namespace
}  // namespace ordinal::experiments
