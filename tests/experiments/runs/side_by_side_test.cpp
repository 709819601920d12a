#include "experiments/runs/side_by_side.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <stdexcept>
#include <vector>

#include "tests/framework/thread_stacks.h"

namespace ordinal::experiments {
namespace {

TEST(Jobs, AreAsManyAsThereAreThreadsAndTrainings) {
  EXPECT_EQ(jobs_for(20, 2, 0).count, 2);
  EXPECT_EQ(jobs_for(20, 2, 0).threads_each, 1);
  EXPECT_EQ(jobs_for(3, 8, 0).count, 3);
  EXPECT_EQ(jobs_for(3, 8, 0).threads_each, 2);
  EXPECT_EQ(jobs_for(20, 8, 2).count, 2);
  EXPECT_EQ(jobs_for(20, 8, 2).threads_each, 4);
  EXPECT_EQ(jobs_for(0, 8, 0).count, 1);
  EXPECT_EQ(jobs_for(20, 2, 16).count, 2);
}

TEST(SideBySide, EveryItemIsDoneOnceByAnyNumberOfJobs) {
  for (const int jobs : {1, 2, 5}) {
    std::vector<std::atomic<int>> done(40);
    EXPECT_TRUE(run_side_by_side(40, jobs, [&](Index item, Index job) {
      EXPECT_LT(job, jobs);
      ++done[static_cast<std::size_t>(item)];
      return true;
    }));
    for (const auto& count : done) EXPECT_EQ(count, 1);
  }
}

TEST(SideBySide, JobsThatDoNotStartLeaveTheirItemsToTheOthers) {
  const RoomForStacks one(1);
  std::vector<std::atomic<int>> done(40);
  EXPECT_TRUE(run_side_by_side(40, 3, [&](Index item, Index job) {
    EXPECT_LT(job, 2);
    ++done[static_cast<std::size_t>(item)];
    return true;
  }));
  for (const auto& count : done) EXPECT_EQ(count, 1);
}

TEST(SideBySide, StopsTakingItemsAfterOneThatStopped) {
  std::atomic<int> done = 0;
  EXPECT_FALSE(run_side_by_side(1000, 2, [&](Index item, Index) {
    ++done;
    return item != 3;
  }));
  EXPECT_LT(done, 1000);
}

TEST(SideBySide, AnExceptionReachesTheCallerAfterAllHaveStopped) {
  std::atomic<int> running = 0;
  const auto work = [&](Index item, Index) {
    ++running;
    if (item == 1) {
      --running;
      throw std::runtime_error("item 1");
    }
    --running;
    return true;
  };
  EXPECT_THROW(run_side_by_side(50, 3, work), std::runtime_error);
  EXPECT_EQ(running, 0);
}

}  // namespace
}  // namespace ordinal::experiments
