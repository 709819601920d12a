#include "experiments/experiment/side_by_side.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <stdexcept>
#include <vector>

#include "tests/framework/thread_stacks.h"

namespace ordinal::experiments {
namespace {

void expect_each_item_once(int jobs, int threads) {
  std::vector<std::atomic<int>> done(40);
  EXPECT_TRUE(run_side_by_side(40, jobs, threads, [&](Index item, Threads&) {
    ++done[static_cast<std::size_t>(item)];
    return true;
  }));
  for (const auto& count : done) EXPECT_EQ(count, 1);
}

TEST(SideBySide, EveryItemIsDoneOnceByAnyNumberOfJobs) {
  for (const auto& [jobs, threads] : {std::pair{1, 1}, {2, 2}, {5, 5}, {1, 3}, {2, 5}})
    expect_each_item_once(jobs, threads);
}

// Two tasks that wait for each other, so that they need two threads; false after a minute alone.
bool two_threads_meet(Threads& threads) {
  std::mutex mutex;
  std::condition_variable came;
  int arrived = 0;
  std::atomic<bool> met = true;
  threads.run(2, [&](Index) {
    std::unique_lock lock(mutex);
    ++arrived;
    came.notify_all();
    if (!came.wait_for(lock, std::chrono::minutes(1), [&] { return arrived == 2; })) met = false;
  });
  return met;
}

TEST(SideBySide, ThreadsWithoutAJobHelp) {
  EXPECT_TRUE(run_side_by_side(3, 1, 2, [](Index, Threads& threads) { return two_threads_meet(threads); }));
}

TEST(SideBySide, AJobWithoutItemsHelpsTheOthers) {
  EXPECT_TRUE(run_side_by_side(
      2, 2, 2, [](Index item, Threads& threads) { return item == 0 || two_threads_meet(threads); }));
}

TEST(SideBySide, JobsThatDoNotStartLeaveTheirItemsToTheOthers) {
  const RoomForStacks one(1);
  expect_each_item_once(3, 3);
}

TEST(SideBySide, StopsTakingItemsAfterOneThatStopped) {
  std::atomic<int> done = 0;
  EXPECT_FALSE(run_side_by_side(1000, 2, 2, [&](Index item, Threads&) {
    ++done;
    return item != 3;
  }));
  EXPECT_LT(done, 1000);
}

TEST(SideBySide, AnExceptionReachesTheCallerAfterAllHaveStopped) {
  std::atomic<int> running = 0;
  const auto work = [&](Index item, Threads&) {
    ++running;
    --running;
    if (item == 1) throw std::runtime_error("item 1");
    return true;
  };
  EXPECT_THROW(run_side_by_side(50, 3, 3, work), std::runtime_error);
  EXPECT_EQ(running, 0);
}

}  // namespace
}  // namespace ordinal::experiments
