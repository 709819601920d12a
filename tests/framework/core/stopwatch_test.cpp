// Time in a nested part counts only for that part.
#include <gtest/gtest.h>

#include <numeric>
#include <thread>

#include "framework/core/stopwatch.h"

namespace ordinal {
namespace {

double seconds(const Stopwatch& stopwatch, Work part) {
  return stopwatch.seconds()[static_cast<std::size_t>(part)];
}

void wait(int milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }

TEST(Stopwatch, CountsAnInnerPartForItselfAlone) {
  Stopwatch stopwatch;
  const auto begin = std::chrono::steady_clock::now();
  stopwatch.start();
  {
    const WorkTimer attention(&stopwatch, Work::attention);
    wait(2);
    {
      const WorkTimer products(&stopwatch, Work::products);
      wait(2);
    }
  }
  const std::chrono::duration<double> whole = std::chrono::steady_clock::now() - begin;
  EXPECT_GE(seconds(stopwatch, Work::attention), 0.002);
  EXPECT_GE(seconds(stopwatch, Work::products), 0.002);
  EXPECT_LE(std::accumulate(stopwatch.seconds().begin(), stopwatch.seconds().end(), 0.0), whole.count());
}

TEST(Stopwatch, ForgetsWhatLiesBetweenTwoRuns) {
  Stopwatch stopwatch;
  wait(2);
  const auto begin = std::chrono::steady_clock::now();
  stopwatch.start();
  stopwatch.switch_to(Work::loss);
  const std::chrono::duration<double> since_start = std::chrono::steady_clock::now() - begin;
  EXPECT_LE(seconds(stopwatch, Work::other), since_start.count());
}

}  // namespace
}  // namespace ordinal
