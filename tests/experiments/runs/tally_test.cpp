#include "experiments/runs/tally.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace ordinal::experiments {
namespace {

const std::vector<MetricSpec> metrics = {
    {.id = "all"},
    {.id = "past", .past = true},
    {.id = "hits", .measure = Measure::accuracy, .token_class = 1},
    {.id = "far", .token_class = 1, .sources = SourceRange::beyond},
    {.id = "near", .token_class = 1, .sources = SourceRange::within, .past = true},
    {.id = "nothing", .token_class = 2}};

// Two examples of four targets, trained on two: losses of 1 to 8 bits, the third one ignored.
LengthScore sample() {
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
  return tally.score(4);
}

TEST(Tally, EachMetricIsTheMeanOfItsTargets) {
  const LengthScore score = sample();
  EXPECT_DOUBLE_EQ(score.find("all")->value, (1 + 2 + 4 + 5 + 6 + 7 + 8) / 7.0);
  EXPECT_EQ(score.find("all")->tokens, 7);
  EXPECT_DOUBLE_EQ(score.find("past")->value, (4 + 7 + 8) / 3.0);
  EXPECT_DOUBLE_EQ(score.find("hits")->value, 1 / 5.0);  // of 2, 4, 6, 7 and 8
  EXPECT_DOUBLE_EQ(score.find("far")->value, (4 + 8) / 2.0);
  EXPECT_DOUBLE_EQ(score.find("near")->value, 7.0);
  EXPECT_EQ(score.find("nothing"), nullptr);
}

TEST(Tally, PositionsAreMeansOfBits) {
  const LengthScore score = sample();
  EXPECT_EQ(score.by_position, (std::vector<double>{3.0, 4.0, 7.0, 6.0}));
}

TEST(Tally, AtTheTrainingLengthAllPositionsCount) {
  const Batch batch{.size = 1, .seq_len = 2, .tokens = {0, 0}, .targets = {0, 0}};
  Tally tally(metrics, 2, 2);
  tally.add(batch, {{std::numbers::ln2, 3 * std::numbers::ln2}, {0, 0}}, {});
  EXPECT_DOUBLE_EQ(tally.score(2).find("past")->value, 2.0);
  EXPECT_TRUE(std::isnan(tally.score(2).find("all")->sampling_error)) << "one example shows no spread";
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
    return tally.score(2).find("all")->sampling_error;
  };
  EXPECT_NEAR(error({1, 3, 1, 3, 1, 3, 3, 1}), 0.0, 1e-12);
  const double sd = std::sqrt(((1.5 * 1.5) + (0.5 * 0.5)) * 2 / 3.0);  // of the means 1, 2, 3 and 4
  EXPECT_NEAR(error({1, 1, 2, 2, 3, 3, 4, 4}), sd / 2.0, 1e-12);
}

}  // namespace
}  // namespace ordinal::experiments
