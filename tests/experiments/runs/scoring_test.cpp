// A score is the same number on any number of threads, over the tokens that carry loss.
#include "experiments/runs/scoring.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <csignal>

#include "experiments/runs/configure.h"
#include "experiments/runs/interrupt.h"

namespace ordinal {
namespace {

struct Untrained {
  Settings settings;
  std::unique_ptr<Task> task;
  Transformer<float> model;
  Parameters<float> values;

  Untrained(const Settings& given, const std::string& encoding)
      : settings(given),
        task(make_task(task_config(settings))),
        model(model_config(settings, *task, encoding)),
        values(model.layout()) {
    initialize(values, 1);
  }
  LengthScore score(Index length, int count) const {
    Threads threads(count);
    return score_length(model, values, *task, settings, {}, length, threads);
  }
};

Settings small(const std::string& task) {
  Settings settings;
  for (const auto& [key, value] : {std::pair{"model.d_model", "8"}, std::pair{"model.heads", "2"},
                                   std::pair{"model.layers", "1"}, std::pair{"task.train_length", "8"},
                                   std::pair{"train.batch", "4"}, std::pair{"evaluate.batches", "3"}}) {
    settings.set(key, value, "test");
  }
  settings.set("task.name", task, "test");
  return settings;
}

TEST(Scoring, DoesNotDependOnThreads) {
  const Untrained model(small("language"), "sinusoidal");
  const LengthScore one = model.score(16, 1);
  for (const int threads : {2, 3, 7}) {
    const LengthScore other = model.score(16, threads);
    EXPECT_EQ(other.value, one.value);
    EXPECT_EQ(other.past_training, one.past_training);
    EXPECT_EQ(other.by_position, one.by_position);
  }
}

TEST(Scoring, GivesEveryLengthAboutTheSameTokens) {
  const Untrained model(small("language"), "none");
  EXPECT_EQ(model.score(8, 1).tokens, 3 * 4 * 8);
  EXPECT_EQ(model.score(16, 1).tokens, 3 * 2 * 16);
  EXPECT_EQ(model.score(64, 1).tokens, 3 * 64);  // one sequence is the least
}

TEST(Scoring, TheWholeIsTheMeanOverPositions) {
  const Untrained model(small("language"), "sinusoidal");
  const LengthScore score = model.score(16, 1);
  double all = 0.0;
  double past = 0.0;
  for (std::size_t t = 0; t < 16; ++t) {
    all += score.by_position[t] / 16.0;
    if (t >= 8) past += score.by_position[t] / 8.0;
  }
  EXPECT_NEAR(score.value, all, 1e-9);
  EXPECT_NEAR(score.past_training, past, 1e-9);
  EXPECT_NEAR(score.value, std::log2(39.0), 1.0);  // untrained: about a guess among all symbols
}

// 8 letters, the separator, the answer: only the answer counts.
TEST(Scoring, CountsTheAnswerAlone) {
  const Untrained model(small("copy"), "none");
  const LengthScore score = model.score(8, 1);
  EXPECT_EQ(score.tokens, 3 * 4 * 9);
  EXPECT_EQ(std::ssize(score.by_position), 17);
  for (std::size_t t = 0; t < 17; ++t) EXPECT_EQ(std::isnan(score.by_position[t]), t < 8) << t;
  EXPECT_GE(score.value, 0.0);
  EXPECT_LE(score.value, 1.0);
}

TEST(Scoring, ALengthThatAnEncodingCannotRunIsAResult) {
  const Untrained model(small("language"), "learned");
  EXPECT_FALSE(model.score(8, 1).failed);
  const LengthScore failed = model.score(9, 2);
  EXPECT_TRUE(failed.failed);
  EXPECT_EQ(failed.length, 9);
  EXPECT_THAT(failed.why, ::testing::HasSubstr("9 exceeds max_seq_len 8"));
}

TEST(Interrupt, IsNoticedAndForgottenWithItsGuard) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const InterruptGuard guard;
    EXPECT_FALSE(guard.requested());
    std::raise(signal);
    EXPECT_TRUE(guard.requested());
  }
  const InterruptGuard fresh;
  EXPECT_FALSE(fresh.requested());
}

TEST(InterruptDeathTest, ASecondOneEndsTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const InterruptGuard guard;
        std::raise(SIGINT);
        std::raise(SIGINT);
      },
      ::testing::KilledBySignal(SIGINT), "");
}

}  // namespace
}  // namespace ordinal
