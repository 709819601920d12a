// A score is the same for any number of threads, over the tokens that carry loss.
#include "experiments/scoring/scoring.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <csignal>

#include "experiments/conditions/condition.h"
#include "experiments/process/interrupt.h"
#include "experiments/settings/plan.h"
#include "tests/experiments/scoring/untrained.h"
#include "tests/folders.h"
#include "tests/message_of.h"

namespace ordinal::experiments {
namespace {

using ::testing::HasSubstr;

// How often score_length() asks, and whether it ends at the `last` question.
Index questions(const Untrained& model, Index length, Index last) {
  Threads one(1);
  CellResult cell;
  Index asked = 0;
  const auto batches = validation_batches(model.subject(), length, 4);
  const auto stopped = [&] { return ++asked == last; };
  try {
    score_length(model.subject(), length, "trained", batches, one, cell, stopped);
    EXPECT_LT(asked, last);
  } catch (const Stopped&) {
    EXPECT_EQ(asked, last) << "it went on";
  }
  return asked;
}

TEST(Scoring, AsksForEachSequenceAndEachBlockOfAttentionWhetherToStop) {
  constexpr Index never = 1'000'000;
  const Settings batches = with(small("language"), "evaluate.batch", "64");
  EXPECT_GE(questions(Untrained(batches, "none"), 8, never), 3 * 64);
  const Settings blocks = with(with(small("language"), "evaluate.batches", "1"), "evaluate.batch", "1");
  EXPECT_GE(questions(Untrained(blocks, "none"), 4096, never), 2 * 4096 / 64) << "heads × blocks of queries";
  const Settings no_attention = with(blocks, "model.block", "lstm");
  EXPECT_GE(questions(Untrained(no_attention, "none"), 4096, never), 4096 / 512) << "blocks of logits";
  for (const Index last : {1, 2, 7}) EXPECT_EQ(questions(Untrained(blocks, "none"), 4096, last), last);
}

TEST(Scoring, GivesEveryLengthAboutTheSameTokens) {
  const Untrained model(small("language"), "none");
  EXPECT_EQ(model.score(8, 1).tokens, 3 * 4 * 8);
  EXPECT_EQ(model.score(16, 1).tokens, 3 * 2 * 16);
  EXPECT_EQ(model.score(64, 1).tokens, 3 * 64);  // at least one sequence
}

// 8 letters, the separator, the answer: only the answer counts.
TEST(Scoring, CountsTheAnswerAlone) {
  const Untrained model(small("copy"), "none");
  const Whole score = model.score(8, 1);
  EXPECT_EQ(score.tokens, 3 * 4 * 9);
  EXPECT_EQ(std::ssize(score.by_position), 17);
  for (std::size_t t = 0; t < 17; ++t) EXPECT_EQ(std::isnan(score.by_position[t]), t < 8) << t;
  EXPECT_GE(score.value, 0.0);
  EXPECT_LE(score.value, 1.0);
}

TEST(Scoring, ALengthThatAnEncodingCannotRunIsAResult) {
  const Untrained model(small("language"), "learned");
  EXPECT_FALSE(model.score(8, 1).failed);
  const Whole failed = model.score(9, 2);
  EXPECT_TRUE(failed.failed);
  EXPECT_EQ(failed.length, 9);
  EXPECT_THAT(failed.why, HasSubstr("9 exceeds max_seq_len 8"));
}

// Else the spread over seeds would not include the choice of positions.
TEST(Scoring, DrawsRandomPositionsOfItsOwnForEachSeedAndExample) {
  for (const std::string scheme : {"randomized", "random_float", "random_shift", "task"}) {
    Untrained model(small("addition"), "rope@" + scheme + "(max_position=4000)");
    const auto positions = [&](std::uint64_t seed, std::uint32_t example) {
      model.seed = seed;
      const auto all = validation_example(model.subject(), 8, model.plan.test_positions, example).positions;
      return std::vector<double>(all.of(0).begin(), all.of(0).end());
    };
    EXPECT_EQ(positions(1, 0), positions(1, 0)) << scheme;
    EXPECT_NE(positions(1, 0), positions(2, 0)) << scheme;
    EXPECT_NE(positions(1, 0), positions(1, 1)) << scheme;
  }
}

TEST(Shifted, IsTheSameAsPositionsThatStartLater) {
  const Settings settings = small("language");
  for (const std::string encoding : {"sinusoidal", "rope", "sinusoidal+alibi"}) {
    const Untrained model(settings, encoding);
    const Untrained later(settings, encoding + "@contiguous:contiguous(offset=5)");
    for (const Index length : {4, 8, 16})
      expect_same(model.under("shifted(offset=5)", length), later.score(length));
    expect_same(later.under("shifted(offset=2)", 8),
                Untrained(settings, encoding + "@contiguous:contiguous(offset=7)").score(8));
  }
}

TEST(Shifted, IsByTheTrainingLengthInTokensUnlessItIsGiven) {
  const Untrained language(small("language"), "sinusoidal");
  expect_same(language.under("shifted", 8), language.under("shifted(offset=8)", 8));
  EXPECT_NE(language.under("shifted", 8).value, language.score(8).value);
  const Untrained copy(small("copy"), "sinusoidal");
  expect_same(copy.under("shifted", 8), copy.under("shifted(offset=17)", 8));
}

TEST(Shifted, PastATableOrWithoutContiguousPositionsIsAResult) {
  const Untrained learned(small("language"), "learned");
  EXPECT_FALSE(learned.under("shifted(offset=4)", 4).failed);
  const auto past = learned.under("shifted(offset=4)", 8);
  EXPECT_TRUE(past.failed);
  EXPECT_EQ(past.condition, "shifted(offset=4)");
  EXPECT_EQ(past.length, 8);
  const auto spaced = Untrained(small("language"), "rope@spaced").under("shifted", 8);
  EXPECT_TRUE(spaced.failed);
  EXPECT_THAT(spaced.why, HasSubstr("expected ones that can be shifted"));
}

TEST(Interpolated, IsTheSameAsPositionsOfTheTestThatAre) {
  const Settings settings = small("language");
  for (const auto& [encoding, scheme] :
       {std::pair("sinusoidal", "interpolated"), std::pair("alibi", "interpolated"),
        std::pair("t5", "interpolated"), std::pair("sinusoidal+rope", "interpolated"),
        std::pair("rope", "interpolated"), std::pair("rope", "yarn"), std::pair("rope", "ntk"),
        std::pair("rope", "dynamic_ntk"), std::pair("rope", "longrope")}) {
    const Untrained model(settings, encoding);
    const Untrained row(settings, fmt::format("{}@contiguous:{}", encoding, scheme));
    const std::string condition = fmt::format("interpolated(by={})", scheme);
    expect_same(model.under(condition, 8), model.score(8));  // the training length
    expect_same(model.under(condition, 32), row.score(32));
    EXPECT_NE(row.score(32).value, model.score(32).value) << encoding << " " << scheme;
  }
}

// Whatever the table does past its end, which these positions do not reach.
TEST(Interpolated, ReadsALearnedTableBetweenItsRows) {
  const Settings settings = small("language");
  const Whole rows = Untrained(settings, "learned@contiguous:interpolated").score(32);
  for (const std::string overflow : {"error", "clamp", "interpolate"})
    expect_same(Untrained(settings, "learned(overflow=" + overflow + ")").under("interpolated", 32), rows);
}

TEST(Interpolated, KeepsTheOffsetOfPositions) {
  const Untrained later(small("language"), "sinusoidal@contiguous(offset=5)");
  const Whole shifted = later.under("interpolated", 32);
  EXPECT_NE(shifted.value, Untrained(small("language"), "sinusoidal").under("interpolated", 32).value);
  expect_same(later.under("interpolated", 8), later.score(8));
}

TEST(Interpolated, WithoutPositionsThatCanBeIsAResult) {
  for (const auto& [encoding, condition, why] :
       {std::tuple("none", "interpolated", "would change nothing: none takes no positions"),
        std::tuple("alibi", "interpolated(by=yarn)", "which alibi does not have (use rope or xpos)"),
        std::tuple("rope@yarn", "interpolated",
                   "positions are yarn, s 2, α 1, β 2 in the test, expected contiguous ones"),
        std::tuple("rope@randomized", "interpolated", "expected contiguous ones")}) {
    const Whole score = Untrained(small("language"), encoding).under(condition, 16);
    EXPECT_TRUE(score.failed) << encoding;
    EXPECT_THAT(score.why, HasSubstr(why));
  }
  EXPECT_THAT(message_of<ConfigError>([] { make_condition("interpolated(by=spaced)"); }),
              HasSubstr("expected one of interpolated, ntk"));
}

TEST(Window, AsWideAsTheSequenceChangesNothing) {
  for (const std::string encoding : {"none", "rope", "alibi", "learned(overflow=clamp)"}) {
    const Untrained model(small("language"), encoding);
    expect_same(model.under("window", 8), model.score(8));  // that of the training length
    expect_same(model.under("window(size=8)", 8), model.score(8));
    expect_same(model.under("window(size=16)", 16), model.score(16));
    expect_same(model.under("window(size=1000)", 16), model.score(16));
  }
}

TEST(Window, NarrowerThanTheSequenceChangesScores) {
  const Untrained model(small("language"), "none");
  EXPECT_NE(model.under("window", 16).value, model.score(16).value);
  EXPECT_NE(model.under("window(size=4)", 8).value, model.score(8).value);
  expect_same(model.under("window", 32), model.under("window(size=8)", 32));
  // The first tokens see no more than the window anyway.
  const Whole narrow = model.under("window(size=4)", 8);
  for (std::size_t t = 0; t < 4; ++t) EXPECT_EQ(narrow.by_position[t], model.score(8).by_position[t]) << t;
}

TEST(LogN, ChangesNothingUpToTheTrainingLengthAndSomethingPastIt) {
  for (const std::string encoding : {"none", "rope", "alibi"}) {
    const Untrained model(small("language"), encoding);
    expect_same(model.under("log_n", 4), model.score(4));
    expect_same(model.under("log_n", 8), model.score(8));
    const Whole scaled = model.under("log_n", 16);
    const Whole plain = model.score(16);
    EXPECT_NE(scaled.value, plain.value) << encoding;
    for (std::size_t t = 0; t < 8; ++t) EXPECT_EQ(scaled.by_position[t], plain.by_position[t]) << t;
  }
}

TEST(Truncated, HasWindowsOfTheTrainingLengthThatOverlapByHalfUnlessTheyAreGiven) {
  const Untrained model(small("language"), "rope");
  expect_same(model.under("truncated", 8), model.score(8));
  EXPECT_NE(model.under("truncated", 9).value, model.score(9).value);
  expect_same(model.under("truncated", 32), model.under("truncated(size=8, stride=4)", 32));
  expect_same(model.under("truncated(size=9)", 32), model.under("truncated(size=9, stride=4)", 32));
  expect_same(model.under("truncated(size=1)", 32), model.under("truncated(size=1, stride=1)", 32));
  EXPECT_NE(model.under("truncated", 32).value, model.under("truncated(stride=8)", 32).value);
}

TEST(Conditions, ThatAModelOrATaskDoesNotFitIsAResult) {
  const Settings language = small("language");
  const Settings both_ways = with(language, "model.causal", "false");
  const auto of_block = [&](const std::string& block) { return with(language, "model.block", block); };
  for (const auto& [settings, condition, why] :
       {std::tuple{both_ways, "window", "expected a causal one"},
        std::tuple{both_ways, "truncated", "expected a causal one"},
        std::tuple{of_block("attention, lstm"), "window", "branches that read past a window"},
        std::tuple{of_block("attention, linear_attention"), "window", "branches that read past a window"},
        std::tuple{small("copy"), "truncated",
                   "the task scores an answer, expected one that scores every token"},
        std::tuple{language, "truncated(stride=9)",
                   "stride 9 exceeds size 8, which leaves out targets (lower stride)"}}) {
    const Whole score = Untrained(settings, "none").under(condition, 16);
    EXPECT_TRUE(score.failed) << condition;
    EXPECT_THAT(score.why, HasSubstr(why));
  }
  EXPECT_THAT(message_of<ConfigError>([] { make_condition("truncated(size=8, stride=9)"); }),
              HasSubstr("truncated: stride 9 exceeds size 8, which leaves out targets"));
}

TEST(Interrupt, IsNoticedAndForgottenWithItsGuard) {
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU}) {
    const InterruptGuard guard;
    EXPECT_FALSE(guard.requested());
    std::raise(signal);
    EXPECT_TRUE(guard.requested());
    EXPECT_EQ(say_interrupted(""), signal == SIGINT ? 130 : 143) << signal;
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
}  // namespace ordinal::experiments
