#include "framework/core/threads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "tests/framework/thread_stacks.h"
#include "tests/message_of.h"

namespace ordinal {
namespace {

class ThreadCount : public ::testing::TestWithParam<int> {};

TEST_P(ThreadCount, EveryTaskRunsOnceInEachOfManyRuns) {
  Threads threads(GetParam());
  EXPECT_EQ(threads.count(), GetParam());
  for (Index tasks = 0; tasks < 200; ++tasks) {
    std::vector<std::atomic<int>> runs(static_cast<std::size_t>(tasks));
    threads.run(tasks, [&](Index task) { ++runs[static_cast<std::size_t>(task)]; });
    for (const auto& run : runs) ASSERT_EQ(run, 1);
  }
}

TEST_P(ThreadCount, AnExceptionComesOutAfterAllTasksAndTheThreadsGoOn) {
  Threads threads(GetParam());
  std::atomic<int> finished = 0;
  const auto task = [&](Index number) {
    ++finished;
    if (number == 3) throw std::runtime_error("task 3");
  };
  EXPECT_THROW(threads.run(10, task), std::runtime_error);
  EXPECT_EQ(finished, 10);
  finished = 0;
  threads.run(3, task);
  EXPECT_EQ(finished, 3);
}

// The bits of half the smallest normal number, which the compiler does not know: where operands are flushed, too, it would compare
// as 0.
std::uint32_t bits_of_subnormal() {
  const volatile float smallest = std::numeric_limits<float>::min();
  return std::bit_cast<std::uint32_t>(smallest * 0.5F);
}

TEST_P(ThreadCount, TasksFlushSubnormalNumbersAndTheCallerDoesNot) {
#if !defined(__x86_64__) && !defined(__aarch64__)
  GTEST_SKIP() << "they are flushed on x86-64 and aarch64";
#endif
  const std::uint32_t given = bits_of_subnormal();
  EXPECT_NE(given, 0U);
  Threads threads(GetParam());
  std::atomic<int> others = 0;
  threads.run(100, [&](Index) {
    if (bits_of_subnormal() != 0U || std::bit_cast<float>(given) * 0x1p100F != 0.0F) ++others;
  });
  EXPECT_EQ(others, 0);
  EXPECT_NE(bits_of_subnormal(), 0U);
}

INSTANTIATE_TEST_SUITE_P(OneTwoThree, ThreadCount, ::testing::Values(1, 2, 3));

TEST(Threads, ZeroMeansOneForEachProcessor) { EXPECT_EQ(Threads(0).count(), usable_processors()); }

TEST(Threads, ThatDoNotStartAreCounted) {
  const RoomForStacks none(0);
  EXPECT_THAT(message_of<std::runtime_error>([] { Threads(3); }),
              "Threads: the system started 1 of 3 threads (Resource temporarily unavailable); use fewer");
  EXPECT_NO_THROW(Threads(1)) << "the calling thread alone";
}

TEST(Threads, ThatStartedAreJoinedIfOthersDoNot) {
  const RoomForStacks two(2);
  EXPECT_THAT(message_of<std::runtime_error>([] { Threads(6); }),
              ::testing::HasSubstr("the system started 3 of 6 threads"));
  EXPECT_EQ(Threads(3).count(), 3) << "those that were joined left their room";
}

}  // namespace
}  // namespace ordinal
