// Which part of a model the time of a step belongs to.
#include "framework/training/stopwatch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "tests/framework/training/small_model.h"

namespace ordinal::testing {
namespace {

void wait(int milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }

TEST(Stopwatch, CountsTheTimeBeforeAPartForThisPart) {
  Stopwatch<float> stopwatch;
  stopwatch.start();
  wait(2);
  stopwatch.computed("a", Direction::forward, {});
  wait(3);
  stopwatch.computed("b", Direction::backward, {});
  stopwatch.computed("a", Direction::backward, {});
  EXPECT_GE(stopwatch.seconds().at("a"), 0.002);
  EXPECT_GE(stopwatch.seconds().at("b"), 0.003);
}

TEST(Stopwatch, ForgetsWhatLiesBetweenTwoRuns) {
  Stopwatch<float> stopwatch;
  wait(2);
  const auto begin = std::chrono::steady_clock::now();
  stopwatch.start();
  stopwatch.end("a");
  const std::chrono::duration<double> since_start = std::chrono::steady_clock::now() - begin;
  EXPECT_LE(stopwatch.seconds().at("a"), since_start.count());
}

TEST(Stopwatch, OfAStepHasEveryPartOfTheModel) {
  SmallTraining training(options_with(2));
  training.trainer.measure_parts();
  training.step(random_batch(6, 9, 0));
  std::vector<std::string> parts;
  for (const auto& [part, seconds] : training.trainer.seconds_by_part()) {
    parts.push_back(part);
    EXPECT_GT(seconds, 0.0) << part;
  }
  EXPECT_THAT(parts,
              ::testing::ElementsAre("block.0.attention", "block.0.feed_forward", "block.1.attention",
                                     "block.1.feed_forward", "cross_entropy", "final_norm", "optimizer",
                                     "output", "positional", "reduction", "token_embedding"));
}

}  // namespace
}  // namespace ordinal::testing
