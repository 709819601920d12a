#include "experiments/report/comparison.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "tests/experiments/report/sample_result.h"

namespace ordinal::experiments {
namespace {

using report_test::sample_result;
using report_test::two_factors;
using report_test::value;

// A row under the condition that it was trained for.
Group group(const ExperimentResult& result, const std::string& row, Index length, std::size_t metric = 0) {
  return at(result, row, length, trained_condition, result.metrics[metric]);
}

Column column(const ExperimentResult& result, Index length) {
  return column_of(result, result.metrics.front(), length);
}

TEST(Query, GivesMeanAndSpreadOverSeeds) {
  const Group sinusoidal = group(sample_result(), "sinusoidal", 4);
  EXPECT_EQ(sinusoidal.seeds, (std::vector<std::uint64_t>{1, 2, 3}));
  EXPECT_NEAR(sinusoidal.summary.mean, 1.1, 1e-12);
  EXPECT_NEAR(sinusoidal.summary.sd, 0.1, 1e-12);
  EXPECT_EQ(most_seeds(sample_result()), 3);
}

TEST(Query, GivesEachMetricItsOwnNumbers) {
  const Group past = group(sample_result(), "sinusoidal", 8, 1);
  EXPECT_NEAR(past.summary.mean, 3.1, 1e-12);
  EXPECT_NEAR(past.error, 0.02, 1e-12);
}

TEST(Query, CountsTheTargetsOfTheSeedWithTheFewest) {
  ExperimentResult result = sample_result();
  for (CellResult& cell : result.cells)
    for (Score& score : cell.scores) score.tokens = cell.seed == 1 ? 3 : 400;
  EXPECT_EQ(group(result, "sinusoidal", 4).targets, 3);
  EXPECT_TRUE(group(result, "sinusoidal", 4).is_few());
}

TEST(Query, OfAMetricWithoutTargetsIsNeitherANumberNorADivergence) {
  const Group none = group(sample_result(), "sinusoidal", 4, 1);
  EXPECT_EQ(none.summary.n, 0);
  EXPECT_EQ(none.diverged, 0);
  EXPECT_EQ(none.failed, 0);
}

TEST(Columns, AreUnderTheFirstCondition) {
  ExperimentResult result = two_factors();
  std::swap(result.conditions[0], result.conditions[1]);
  EXPECT_NEAR(column(result, 8)[0].summary.mean, 11.05, 1e-12);
}

TEST(Query, KnowsTheTrainingLengthOfEachRow) {
  ExperimentResult result = report_test::mixed_training();
  for (CellResult& cell : result.cells) value(cell, cell.train_length) = 1.0;
  report_test::gate(result, 1.05, "bits per token of at most 1.05");
  for (const RowInfo& row : result.rows) EXPECT_EQ(learning_of(result, row.label).learned, 3) << row.label;
}

TEST(Query, OfAFailureKeepsTheNameOfAnEncodingInItsReason) {
  ExperimentResult result = sample_result();
  for (CellResult& cell : result.cells)
    for (Score& score : cell.scores) score.why = "xpos: 9 positions are too far";
  EXPECT_EQ(group(result, "learned", 8).why, "xpos: 9 positions are too far") << "the name of an encoding";
}

TEST(Query, CountsANumberThatIsNotFiniteAsADivergenceAndNeverInAMean) {
  ExperimentResult result = sample_result();
  value(result.cells[1], 4) = not_a_number;
  const Group diverged = group(result, "sinusoidal", 4);
  EXPECT_EQ(diverged.diverged, 1);
  EXPECT_EQ(diverged.summary.n, 2);
  EXPECT_TRUE(diverged.has_number());
  EXPECT_FALSE(diverged.is_ranked());
}

TEST(CompareGroups, PairsBySeedAndNotByPlace) {
  Group left;
  left.seeds = {1, 2, 3};
  left.values = {10.0, 20.0, 30.0};
  Group right;
  right.seeds = {3, 1, 9};
  right.values = {29.0, 9.0, 1000.0};
  EXPECT_EQ(compare_groups(left, right, {}).differences, (std::vector<double>{-1.0, -1.0}))
      << "lower is better";
  EXPECT_EQ(compare_groups(left, right, {.measure = Measure::accuracy}).ahead, 2);
}

std::size_t pairs(const ExperimentResult& result) {
  std::size_t count = 0;
  for (const Ranking& ranking : rankings_of(result)) count += ranking.pairs.size();
  return count;
}

TEST(Rankings, HaveEachPairOfRankedRowsInEachHeadlineAtTheLongestLength) {
  ExperimentResult result = sample_result(8);
  const std::vector<Ranking> one = rankings_of(result);
  ASSERT_EQ(one.size(), 1U);
  EXPECT_EQ(one[0].ranked, (std::vector<std::size_t>{2, 0})) << "learned cannot run there; lower is better";
  ASSERT_EQ(one[0].pairs.size(), 1U);
  EXPECT_EQ(one[0].pairs[0].row, 2U);
  EXPECT_EQ(one[0].pairs[0].other, 0U);
  EXPECT_EQ(one[0].pairs[0].by.ahead, 8);
  EXPECT_EQ(one[0].pairs[0].by.decision, Decision::holds);
  for (MetricSpec& metric : result.metrics) metric.headline = true;
  EXPECT_EQ(pairs(result), 2U);
  result.lengths = {4};
  EXPECT_EQ(pairs(result), 3U) << "bits.past has no targets";
  EXPECT_EQ(rankings_of(result)[0].of_first().size(), 2U);
  report_test::gate(result, 0.0, "none learned");
  EXPECT_EQ(pairs(result), 0U);
}

TEST(Rankings, TheBestAreTheFirstRowAndAllThatItIsNotAheadOf) {
  ExperimentResult result = sample_result(8);
  EXPECT_EQ(rankings_of(result)[0].best(), (std::set<std::size_t>{2}));
  EXPECT_TRUE(rankings_of(sample_result())[0].best().empty()) << "of three seeds nothing is decided";
  for (CellResult& cell : result.cells)
    if (cell.row == "learned") {
      cell.scores.clear();
      report_test::add(cell, report_test::score(16, cell.seed == 1 ? 0.0 : 1.5, 1.0));
    }
  EXPECT_EQ(rankings_of(result)[0].best(), (std::set<std::size_t>{1, 2}));
}

TEST(MultipleOf, IsShort) {
  EXPECT_EQ(multiple_of(64, 64), "1x");
  EXPECT_EQ(multiple_of(96, 64), "1.5x");
  EXPECT_EQ(multiple_of(65536, 64), "1024x");
  EXPECT_EQ(multiple_of(64, 0), "");
}

}  // namespace
}  // namespace ordinal::experiments
