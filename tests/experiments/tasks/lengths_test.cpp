// The lengths of training batches: against their formulas, and what is refused.
#include "experiments/tasks/lengths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "framework/core/errors.h"
#include "tests/message_of.h"

namespace ordinal::experiments {
namespace {

using ::testing::HasSubstr;

std::vector<Index> drawn(const std::string& task, const std::string& lengths, Index train_length,
                         std::uint32_t batches) {
  const LengthScheme scheme(parse_part(lengths), task, train_length, batches);
  const auto of = make_task(task);
  std::vector<Index> all;
  for (std::uint32_t batch = 0; batch < batches; ++batch) all.push_back(scheme.at(*of, 1, batch));
  return all;
}

class EveryLengthScheme : public ::testing::TestWithParam<std::string> {};

// For a task that draws its lengths, and for one that does not.
TEST_P(EveryLengthScheme, DrawsFromOneToItsLongestByTheBatchAlone) {
  for (const std::string name : {"copy", "language"}) {
    const LengthScheme scheme(parse_part(GetParam()), name, 64, 200);
    const auto task = make_task(name);
    const std::vector<Index> all = drawn(name, GetParam(), 64, 200);
    for (std::uint32_t batch = 200; batch-- > 0;) {
      EXPECT_EQ(scheme.at(*task, 1, batch), all[batch]) << "batch " << batch << " of " << name;
      EXPECT_TRUE(all[batch] >= 1 && all[batch] <= scheme.longest()) << all[batch];
      EXPECT_TRUE(all[batch] >= 64 || scheme.has_short_batches(*task)) << all[batch];
    }
    double sum = 0.0;
    for (const auto& [length, share] : scheme.shares(*task)) sum += share;
    EXPECT_NEAR(sum, 1.0, 1e-12) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryLengthScheme, ::testing::ValuesIn(length_schemes().names()),
                         [](const auto& info) { return info.param; });

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
  EXPECT_EQ(drawn("language", "growing(from=8, until=1)", 64, 1), std::vector<Index>{64}) << "the only batch";
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
    EXPECT_THAT(message_of<ConfigError>([&] { scheme("mixed(longest=256)", train_length); }),
                "task.lengths: mixed: got longest = 256, expected more than the "
                "training length " +
                    std::to_string(train_length) +
                    " (set longest, task.train_length, or in a second stage "
                    "finetune.lengths)");
  }
  EXPECT_THAT(message_of<ConfigError>([] { scheme("growing(from=65)"); }),
              HasSubstr("growing: got from = 65, expected at most the training length 64 (set from, "));
  EXPECT_NO_THROW(scheme("growing(from=64)"));
}

TEST(LengthScheme, RefusesOptionsOutOfRange) {
  for (const std::string wrong : {"mixed(share=1.01)", "mixed(share=-0.1)", "growing(until=2)",
                                  "growing(from=0)", "uniform(from=2)", "mixed(from=2)"}) {
    EXPECT_THROW(scheme(wrong), ConfigError) << wrong;
  }
}

}  // namespace
}  // namespace ordinal::experiments
