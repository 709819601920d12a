#include "experiments/scoring/tally.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <string>

#include "framework/training/evaluation.h"

namespace ordinal::experiments {
namespace {

const std::vector<MetricSpec> metrics = {
    {.id = "all"},
    {.id = "past", .past = true},
    {.id = "hits", .measure = Measure::accuracy, .token_class = 1},
    {.id = "far", .token_class = 1, .sources = SourceRange::beyond},
    {.id = "near", .token_class = 1, .sources = SourceRange::within, .past = true},
    {.id = "nothing", .token_class = 2},
    {.id = "exact", .measure = Measure::exact},
    {.id = "perplexity", .measure = Measure::perplexity}};

// The score in a metric, or null.
std::optional<Score> score(const Tally& tally, const std::string& metric) {
  const std::vector<Score> scores = tally.scores({});
  const Score* found = score_at(scores, metric, 0);
  return found == nullptr ? std::nullopt : std::optional(*found);
}

// Two examples of four targets, trained on two: losses of 1 to 8 bits, the third one ignored.
Tally sample() {
  const Batch batch{.size = 2,
                    .seq_len = 4,
                    .tokens = std::vector<Token>(8),
                    .targets = {0, 0, ignore_index, 0, 0, 0, 0, 0}};
  TokenScores scores;
  for (int i = 1; i <= 8; ++i) {
    scores.losses.push_back(i * std::numbers::ln2);
    scores.hits.push_back(i % 2 == 1 ? 1 : 0);
  }
  const std::vector<Label> labels = {{0, 0}, {1, 1}, {1, 2}, {1, 3}, {0, 0}, {1, 1}, {1, 2}, {1, 3}};
  Tally tally(metrics, 4, 2);
  tally.add(batch, scores, labels);
  return tally;
}

TEST(Tally, EachMetricIsTheMeanOfItsTargets) {
  const Tally tally = sample();
  EXPECT_DOUBLE_EQ(score(tally, "all")->value, (1 + 2 + 4 + 5 + 6 + 7 + 8) / 7.0);
  EXPECT_EQ(score(tally, "all")->tokens, 7);
  EXPECT_DOUBLE_EQ(score(tally, "past")->value, (4 + 7 + 8) / 3.0);
  EXPECT_DOUBLE_EQ(score(tally, "hits")->value, 1 / 5.0);  // of 2, 4, 6, 7 and 8
  EXPECT_DOUBLE_EQ(score(tally, "far")->value, (4 + 8) / 2.0);
  EXPECT_DOUBLE_EQ(score(tally, "near")->value, 7.0);
  EXPECT_FALSE(score(tally, "nothing"));
}

// The likeliest of tokens whose scores are no numbers says nothing.
TEST(Tally, OfLossesThatAreNoNumbersIsNoneInEveryMetric) {
  const Batch batch{.size = 2, .seq_len = 2, .tokens = std::vector<Token>(4), .targets = {0, 0, 0, 0}};
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Tally tally({{.id = "bits"},
               {.id = "hits", .measure = Measure::accuracy},
               {.id = "exact", .measure = Measure::exact}},
              2, 2);
  tally.add(batch, {{1.0, nan, 1.0, 1.0}, {1, 1, 1, 1}}, {});
  for (const char* metric : {"bits", "hits", "exact"})
    EXPECT_TRUE(std::isnan(score(tally, metric)->value)) << metric;
}

TEST(Tally, OfAnUnknownHitIsNoneInTheMetricsOfHits) {
  const Batch batch{.size = 2, .seq_len = 2, .tokens = std::vector<Token>(4), .targets = {0, 0, 0, 0}};
  Tally tally({{.id = "bits"},
               {.id = "hits", .measure = Measure::accuracy},
               {.id = "exact", .measure = Measure::exact}},
              2, 2);
  tally.add(batch, {std::vector<double>(4, std::numbers::ln2), {1, unknown_hit, 1, 1}}, {});
  EXPECT_EQ(score(tally, "bits")->value, 1.0);
  for (const char* metric : {"hits", "exact"}) EXPECT_TRUE(std::isnan(score(tally, metric)->value)) << metric;
}

TEST(Tally, AnExactMatchIsAnExampleWithoutAMiss) {
  const Batch batch{.size = 4,
                    .seq_len = 2,
                    .tokens = std::vector<Token>(8),
                    .targets = {0, 0, 0, 0, ignore_index, 0, ignore_index, ignore_index}};
  const TokenScores scores{std::vector<double>(8), {1, 1, 0, 1, 0, 1, 0, 0}};
  Tally tally(metrics, 2, 2);
  tally.add(batch, scores, {});
  EXPECT_DOUBLE_EQ(score(tally, "exact")->value, 2 / 3.0);  // the last one has no target
  EXPECT_EQ(score(tally, "exact")->tokens, 3);
}

TEST(Tally, PerplexityIsTwoToTheBitsWithTheErrorThatFollows) {
  const Tally tally = sample();
  const Score bits = *score(tally, "all");
  const Score perplexity = *score(tally, "perplexity");
  EXPECT_DOUBLE_EQ(perplexity.value, std::exp2(bits.value));
  const double above = std::exp2(bits.value + 1e-3 * bits.error);
  EXPECT_NEAR(perplexity.error, 1e3 * (above - perplexity.value), 0.1);
  EXPECT_EQ(perplexity.tokens, bits.tokens);
}

TEST(Tally, PositionsAreMeansOfBits) {
  EXPECT_EQ(sample().by_position(), (std::vector<double>{3.0, 4.0, 7.0, 6.0}));
}

TEST(Tally, AtTheTrainingLengthAllPositionsCount) {
  const Batch batch{.size = 1, .seq_len = 2, .tokens = {0, 0}, .targets = {0, 0}};
  Tally tally(metrics, 2, 2);
  tally.add(batch, {{std::numbers::ln2, 3 * std::numbers::ln2}, {0, 0}}, {});
  EXPECT_DOUBLE_EQ(score(tally, "past")->value, 2.0);
  EXPECT_TRUE(std::isnan(score(tally, "all")->error)) << "one example shows no spread";
}

// Equal examples have no error; otherwise, with equally many targets in each, it is that of the mean of
// means.
TEST(Tally, SamplingErrorIsThatOfIndependentExamples) {
  const Batch batch{
      .size = 4, .seq_len = 2, .tokens = std::vector<Token>(8), .targets = std::vector<Token>(8)};
  const auto error = [&](std::vector<double> bits) {
    for (double& loss : bits) loss *= std::numbers::ln2;
    Tally tally({{.id = "all"}}, 2, 2);
    tally.add(batch, {bits, std::vector<char>(8)}, {});
    return score(tally, "all")->error;
  };
  EXPECT_NEAR(error({1, 3, 1, 3, 1, 3, 3, 1}), 0.0, 1e-12);
  const double sd = std::sqrt(((1.5 * 1.5) + (0.5 * 0.5)) * 2 / 3.0);  // of the means 1, 2, 3 and 4
  EXPECT_NEAR(error({1, 1, 2, 2, 3, 3, 4, 4}), sd / 2.0, 1e-12);
}

}  // namespace
}  // namespace ordinal::experiments
