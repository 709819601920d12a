// The lengths of training batches: against an independent program, against their formulas, and what is refused.
#include "experiments/tasks/lengths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <utility>

#include "framework/core/errors.h"
#include "tests/folders.h"

namespace ordinal::experiments {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::vector<Index> drawn(const std::string& task, const std::string& lengths, Index train_length,
                         std::uint32_t batches, std::uint64_t seed = 1) {
  const LengthScheme scheme(parse_part(lengths), task, train_length, batches);
  const auto of = make_task(task);
  std::vector<Index> all;
  for (std::uint32_t batch = 0; batch < batches; ++batch) all.push_back(scheme.at(*of, seed, batch));
  return all;
}

TEST(Lengths, AreThoseOfAnIndependentProgram) {
  std::ifstream file(fixtures_folder() / "tasks/lengths.txt");
  int lines = 0;
  for (std::string line; std::getline(file, line); ++lines) {
    std::istringstream fields(line);
    std::vector<std::string> values;
    for (std::string value; std::getline(fields, value, '\t');) values.push_back(value);
    std::istringstream numbers(values.at(4));
    std::vector<Index> expected;
    for (Index length = 0; numbers >> length;) expected.push_back(length);
    EXPECT_EQ(drawn(values.at(0), values.at(1), std::stoll(values.at(2)),
                    static_cast<std::uint32_t>(expected.size()), std::stoull(values.at(3))),
              expected)
        << line;
  }
  EXPECT_EQ(lines, 24);
}

// 20,000 batches: the number of long ones is within 4.5 standard deviations of the binomial distribution.
TEST(MixedLengths, HaveTheirShareOfLongBatchesAndNothingBetween) {
  for (const std::string task : {"language", "copy"}) {
    for (const double share : {0.01, 0.3}) {
      constexpr double count = 20'000;
      const std::vector<Index> all =
          drawn(task, "mixed(longest=40, share=" + number_text(share) + ")", 10, 20'000);
      const auto is_long = std::ranges::count(all, 40);
      EXPECT_NEAR(static_cast<double>(is_long), share * count, 4.5 * std::sqrt(count * share * (1 - share)));
      const auto is_short = std::ranges::count_if(all, [](Index length) { return length <= 10; });
      EXPECT_EQ(is_long + is_short, std::ssize(all));
    }
  }
}

TEST(MixedLengths, LeaveTheOtherBatchesAsTheyAre) {
  for (const std::string task : {"language", "copy"}) {
    const std::vector<Index> without = drawn(task, "auto", 10, 300);
    const std::vector<Index> with = drawn(task, "mixed(longest=40, share=0.5)", 10, 300);
    for (std::size_t i = 0; i < with.size(); ++i) EXPECT_TRUE(with[i] == 40 || with[i] == without[i]) << i;
    EXPECT_EQ(drawn(task, "mixed(longest=40, share=0)", 10, 300), without);
    EXPECT_THAT(drawn(task, "mixed(longest=40, share=1)", 10, 300), Each(40));
  }
}

TEST(GrowingLengths, RiseToTheTrainingLengthAndStayThere) {
  const std::vector<Index> all = drawn("language", "growing(from=8, until=0.5)", 64, 1000);
  EXPECT_EQ(all.front(), 8);
  EXPECT_TRUE(std::ranges::is_sorted(all));
  EXPECT_EQ(all[498], 63);
  EXPECT_EQ(all[499], 64);  // the last of the growing half
  EXPECT_EQ(all.back(), 64);
  for (Index length = 8; length <= 64; ++length) EXPECT_THAT(all, Contains(length));
}

TEST(GrowingLengths, MayTakeNoTimeOrAllOfIt) {
  EXPECT_THAT(drawn("language", "growing(from=8, until=0)", 64, 20), Each(64));
  EXPECT_THAT(drawn("language", "growing(from=8, until=1)", 64, 1), Each(64));
  const std::vector<Index> all = drawn("language", "growing(from=8, until=1)", 64, 20);
  EXPECT_EQ(all[18], 61);
  EXPECT_EQ(all[19], 64);
}

TEST(GrowingLengths, LimitWhatATaskDraws) {
  const std::vector<Index> all = drawn("copy", "growing(from=5, until=0.5)", 20, 2000);
  EXPECT_EQ(*std::max_element(all.begin(), all.begin() + 60), 5);
  EXPECT_LE(*std::max_element(all.begin(), all.begin() + 500), 12);
  EXPECT_EQ(std::ranges::max(all), 20);
  EXPECT_EQ(std::ranges::min(all), 1);
}

LengthScheme scheme(const std::string& text, Index train_length = 64) {
  return {parse_part(text), "language", train_length, 1000};
}

TEST(LengthScheme, KnowsItsLongestAndItsShortBatches) {
  const auto language = make_task("language");
  const auto copy = make_task("copy");
  for (const std::string text : {"auto", "fixed", "uniform", "growing", "mixed(share=0)"}) {
    EXPECT_EQ(scheme(text).longest(), 64) << text;
    EXPECT_FALSE(scheme(text).has_long_batches()) << text;
    EXPECT_EQ(scheme(text).has_short_batches(*language), text == "uniform" || text == "growing") << text;
    EXPECT_EQ(scheme(text).has_short_batches(*copy), text != "fixed") << text;
  }
  EXPECT_EQ(scheme("mixed(longest=100)").longest(), 100);
  EXPECT_TRUE(scheme("mixed").has_long_batches());
}

TEST(LengthScheme, SaysHowLengthsVary) {
  for (const std::string plain : {"auto", "fixed", "uniform", "mixed(share=0)", "growing(from=64)"})
    EXPECT_EQ(scheme(plain).mixture(), "") << plain;
  EXPECT_EQ(scheme("mixed").mixture(), "and 256 in 5 % of the batches");
  EXPECT_EQ(scheme("growing").mixture(), "growing from 8 over 50 % of the steps");
}

// 0.29 · 100 is 28.999999999999996 in doubles, and 0.145 · 100 is below 14.5.
TEST(GrowingLengths, AreTheirFormulaInWholeNumbers) {
  for (const auto& [until, growing] :
       {std::pair<std::string, Index>{"0.29", 29}, {"0.145", 15}, {"0.5", 50}}) {
    const std::vector<Index> all = drawn("language", "growing(from=3, until=" + until + ")", 1000, 100);
    for (Index b = 0; b < 100; ++b)
      EXPECT_EQ(all[static_cast<std::size_t>(b)], b < growing - 1 ? 3 + 997 * b / (growing - 1) : 1000) << b;
  }
}

// Each of few batches is counted once: 49 · (1/49) is below 1 in doubles.
TEST(LengthScheme, CountsEachOfFewBatchesOnce) {
  const auto language = make_task("language");
  for (Index batches = 2; batches <= 200; ++batches) {
    const LengthScheme growing(parse_part("growing(from=1, until=1)"), "language", batches, batches);
    EXPECT_EQ(std::ssize(growing.shares(*language)), batches);
  }
}

// More batches than are counted, and more than 32 bits number.
TEST(LengthScheme, CountsItsShares) {
  const auto language = make_task("language");
  EXPECT_EQ(scheme("fixed").shares(*language), (std::map<Index, double>{{64, 1.0}}));
  const LengthScheme growing(parse_part("growing(from=1, until=1)"), "language", 4, 3'000'000'000);
  const std::map<Index, double> shares = growing.shares(*language);
  ASSERT_EQ(shares.size(), 3U);  // the very last batch, which alone has length 4, is not among those counted
  for (const auto& [length, share] : shares) EXPECT_NEAR(share, 1.0 / 3.0, 1e-3) << length;
}

TEST(LengthScheme, RefusesLengthsThatContradictTheTrainingLength) {
  for (const Index train_length : {256, 300}) {
    EXPECT_THAT([&] { scheme("mixed(longest=256)", train_length); },
                ThrowsMessage<ConfigError>("task.lengths: mixed: got longest = 256, expected more than the "
                                           "training length " +
                                           std::to_string(train_length) +
                                           " (set longest, task.train_length, or in a second stage "
                                           "finetune.lengths)"));
  }
  EXPECT_THAT([] { scheme("growing(from=65)"); },
              ThrowsMessage<ConfigError>(
                  HasSubstr("growing: got from = 65, expected at most the training length 64 (set from, ")));
  EXPECT_NO_THROW(scheme("growing(from=64)"));
}

TEST(LengthScheme, RefusesOptionsOutOfRangeAndUnknownNames) {
  for (const std::string wrong : {"mixed(share=1.01)", "mixed(share=-0.1)", "growing(until=2)",
                                  "growing(from=0)", "uniform(from=2)", "mixed(from=2)"}) {
    EXPECT_THROW(scheme(wrong), ConfigError) << wrong;
  }
  EXPECT_THAT([] { scheme("grown"); },
              ThrowsMessage<ConfigError>("task.lengths: got 'grown' (did you mean growing?), expected one of "
                                         "auto, fixed, uniform, mixed, growing"));
}

}  // namespace
}  // namespace ordinal::experiments
