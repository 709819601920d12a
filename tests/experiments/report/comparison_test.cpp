#include "experiments/report/comparison.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "tests/experiments/report/sample_result.h"

namespace ordinal::experiments {
namespace {

using report_test::sample_result;

TEST(Compare, RowsKeepTheOrderOfTheConfigAndColumnsTheLengths) {
  const Comparison comparison = compare(sample_result(), Scored::all_positions);
  ASSERT_EQ(comparison.rows.size(), 3U);
  EXPECT_EQ(comparison.rows[0].label, "sinusoidal");
  EXPECT_EQ(comparison.rows[1].label, "learned");
  EXPECT_EQ(comparison.rows[2].label, "none");
  EXPECT_EQ(comparison.rows[0].parameters, 12345);
  EXPECT_EQ(comparison.lengths, (std::vector<Index>{4, 8, 16}));
  EXPECT_EQ(comparison.seeds, 3);
  EXPECT_NEAR(comparison.rows[0].entries[0].summary.mean, 1.1, 1e-12);
  EXPECT_NEAR(comparison.rows[0].entries[0].summary.sd, 0.1, 1e-12);
}

TEST(Compare, PastTrainingLeavesOutTheTrainingLength) {
  const Comparison comparison = compare(sample_result(), Scored::past_training);
  EXPECT_EQ(comparison.lengths, (std::vector<Index>{8, 16}));
  EXPECT_NEAR(comparison.rows[0].entries[0].summary.mean, 3.1, 1e-12);
}

TEST(Compare, RowsFollowTheExperimentAndNotTheCells) {
  ExperimentResult result = sample_result();
  std::reverse(result.cells.begin(), result.cells.end());
  result.rows.push_back({"not run yet", {}, ""});
  const Comparison comparison = compare(result, Scored::all_positions);
  ASSERT_EQ(comparison.rows.size(), 3U);
  EXPECT_EQ(comparison.rows[0].label, "sinusoidal");
}

TEST(Compare, EachConditionHasItsOwnScores) {
  const ExperimentResult result = report_test::two_factors();
  EXPECT_NEAR(compare(result, Scored::all_positions).rows[0].entries[1].summary.mean, 2.05, 1e-12);
  const Comparison window = compare(result, Scored::all_positions, "window(size=4)");
  EXPECT_EQ(window.rows[0].entries[0].summary.n, 0);
  EXPECT_NEAR(window.rows[0].entries[1].summary.mean, 11.05, 1e-12);
}

TEST(Compare, WithoutAConditionTheFirstOneCounts) {
  ExperimentResult result = report_test::two_factors();
  std::swap(result.conditions[0], result.conditions[1]);
  EXPECT_NEAR(compare(result, Scored::all_positions).rows[0].entries[1].summary.mean, 11.05, 1e-12);
  result.conditions.clear();
  EXPECT_NEAR(compare(result, Scored::all_positions).rows[0].entries[1].summary.mean, 2.05, 1e-12);
}

TEST(Compare, PastTrainingIsThatOfTheRowsOwnTrainingLength) {
  ExperimentResult result = report_test::mixed_training();
  for (CellResult& cell : result.cells) {
    if (cell.row == "none") cell.scores[1].past_training = not_a_number;
  }
  const Comparison comparison = compare(result, Scored::past_training);
  EXPECT_EQ(comparison.lengths, (std::vector<Index>{8, 16}));
  EXPECT_EQ(comparison.rows[2].entries[0].summary.n, 0);
  EXPECT_EQ(comparison.rows[2].entries[0].diverged, 0);
}

TEST(Compare, AFailureIsNotANumberAndKeepsItsReason) {
  const Entry entry = compare(sample_result(), Scored::all_positions).rows[1].entries[1];
  EXPECT_FALSE(entry.has_number());
  EXPECT_EQ(entry.failed, 3);
  EXPECT_EQ(entry.why, report_test::failure_reason);
}

TEST(Compare, ANumberThatIsNotFiniteIsADivergenceAndNeverPartOfAMean) {
  ExperimentResult result = sample_result();
  result.cells[1].scores[0].value = not_a_number;
  const Entry entry = compare(result, Scored::all_positions).rows[0].entries[0];
  EXPECT_EQ(entry.diverged, 1);
  EXPECT_EQ(entry.summary.n, 2);
  EXPECT_FALSE(entry.has_number());
}

TEST(CompareEntries, PairsBySeedAndNotByPlace) {
  Entry left;
  left.seeds = {1, 2, 3};
  left.values = {10.0, 20.0, 30.0};
  Entry right;
  right.seeds = {3, 1, 9};
  right.values = {29.0, 9.0, 1000.0};
  const PairedComparison pairs = compare_entries(left, right);
  EXPECT_EQ(pairs.n, 2);
  EXPECT_DOUBLE_EQ(pairs.effect, 1.0);
}

TEST(BestRow, FollowsTheDirectionOfTheMetricAndIgnoresFailures) {
  const Comparison comparison = compare(sample_result(), Scored::all_positions);
  EXPECT_EQ(best_row(comparison, 0, true), 1);
  EXPECT_EQ(best_row(comparison, 2, true), 2);
  EXPECT_EQ(best_row(comparison, 2, false), 0);
}

TEST(MultipleOf, IsShort) {
  EXPECT_EQ(multiple_of(64, 64), "1x");
  EXPECT_EQ(multiple_of(96, 64), "1.5x");
  EXPECT_EQ(multiple_of(65536, 64), "1024x");
  EXPECT_EQ(multiple_of(64, 0), "");
}

}  // namespace
}  // namespace ordinal::experiments
