#include "experiments/report/comparison.h"

#include <gtest/gtest.h>

#include "tests/experiments/report/sample_result.h"

namespace ordinal {
namespace {

using report_test::sample_result;

TEST(Compare, RowsKeepTheOrderOfTheConfigAndColumnsTheLengths) {
  const Comparison comparison = compare(sample_result(), Scope::all_positions);
  ASSERT_EQ(comparison.rows.size(), 3U);
  EXPECT_EQ(comparison.rows[0].encoding, "sinusoidal");
  EXPECT_EQ(comparison.rows[1].encoding, "learned");
  EXPECT_EQ(comparison.rows[2].encoding, "none");
  EXPECT_EQ(comparison.rows[0].parameters, 12345);
  EXPECT_EQ(comparison.lengths, (std::vector<Index>{4, 8, 16}));
  EXPECT_EQ(comparison.seeds, 3);
  EXPECT_NEAR(comparison.rows[0].entries[0].summary.mean, 1.1, 1e-12);
  EXPECT_NEAR(comparison.rows[0].entries[0].summary.sd, 0.1, 1e-12);
}

TEST(Compare, PastTrainingLeavesOutTheTrainingLength) {
  const Comparison comparison = compare(sample_result(), Scope::past_training);
  EXPECT_EQ(comparison.lengths, (std::vector<Index>{8, 16}));
  EXPECT_NEAR(comparison.rows[0].entries[0].summary.mean, 3.1, 1e-12);
}

TEST(Compare, AFailureIsNotANumberAndKeepsItsReason) {
  const Entry entry = compare(sample_result(), Scope::all_positions).rows[1].entries[1];
  EXPECT_FALSE(entry.has_number());
  EXPECT_EQ(entry.failed, 3);
  EXPECT_EQ(entry.why, report_test::failure_reason);
}

TEST(Compare, ANumberThatIsNotFiniteIsADivergenceAndNeverPartOfAMean) {
  ExperimentResult result = sample_result();
  result.cells[1].scores[0].value = not_a_number;
  const Entry entry = compare(result, Scope::all_positions).rows[0].entries[0];
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
  const Comparison comparison = compare(sample_result(), Scope::all_positions);
  EXPECT_EQ(best_row(comparison, 0, true), 1);
  EXPECT_EQ(best_row(comparison, 2, true), 2);
  EXPECT_EQ(best_row(comparison, 2, false), 0);
}

TEST(MultipleOf, IsShort) {
  EXPECT_EQ(multiple_of(64, 64), "1x");
  EXPECT_EQ(multiple_of(96, 64), "1.5x");
  EXPECT_EQ(multiple_of(65536, 64), "1024x");
}

}  // namespace
}  // namespace ordinal
