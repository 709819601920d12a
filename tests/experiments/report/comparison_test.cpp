#include "experiments/report/comparison.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "tests/experiments/report/sample_result.h"

namespace ordinal::experiments {
namespace {

using report_test::sample_result;
using report_test::value;

TEST(Compare, RowsKeepTheOrderOfTheConfigAndColumnsTheLengths) {
  const Comparison comparison = compare(sample_result(), "bits");
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

TEST(Compare, EachMetricHasItsOwnNumbersAndDirection) {
  ExperimentResult result = sample_result();
  result.metrics[1].lower_is_better = false;
  const Comparison comparison = compare(result, "bits.past");
  EXPECT_EQ(comparison.lengths, (std::vector<Index>{4, 8, 16}));
  EXPECT_NEAR(comparison.rows[0].entries[1].summary.mean, 3.1, 1e-12);
  EXPECT_NEAR(comparison.rows[0].entries[1].sampling_error, 0.02, 1e-12);
  EXPECT_FALSE(comparison.metric.lower_is_better);
  EXPECT_EQ(compare(result).metric.id, "bits") << "the first metric is the headline";
  EXPECT_THROW(compare(result, "accuracy"), std::invalid_argument);
}

TEST(Compare, AMetricWithoutTargetsIsNeitherANumberNorADivergence) {
  const Entry entry = compare(sample_result(), "bits.past").rows[0].entries[0];
  EXPECT_EQ(entry.summary.n, 0);
  EXPECT_EQ(entry.diverged, 0);
  EXPECT_EQ(entry.failed, 0);
}

// Of three seeds one or two do not reach the threshold at the training length of 4.
TEST(Compare, SeedsThatDidNotLearnAreCountedAndLeftOut) {
  ExperimentResult result = sample_result();
  result.gate = LearningGate{"bits", 1.15, "bits per token of at most 1.15"};
  const ComparisonRow sinusoidal = compare(result, "bits").rows[0];  // 1.0, 1.1 and 1.2
  EXPECT_EQ(sinusoidal.cells, 3);
  EXPECT_EQ(sinusoidal.not_learned, 1);
  EXPECT_TRUE(sinusoidal.learned());
  EXPECT_EQ(sinusoidal.entries[0].summary.n, 2);
  EXPECT_EQ(sinusoidal.entries[2].summary.n, 2);
  EXPECT_EQ(sinusoidal.entries[2].not_learned, 1);
  EXPECT_EQ(sinusoidal.entries[2].seeds, (std::vector<std::uint64_t>{1, 2}));
  EXPECT_TRUE(sinusoidal.is_ranked(2));

  result.gate->threshold = 1.05;
  const ComparisonRow mostly_not = compare(result, "bits").rows[0];
  EXPECT_FALSE(mostly_not.learned());
  EXPECT_EQ(mostly_not.entries[0].summary.n, 3) << "every seed is shown";
  EXPECT_EQ(mostly_not.entries[2].summary.n, 3);
  EXPECT_FALSE(mostly_not.is_ranked(0));
  EXPECT_FALSE(mostly_not.is_ranked(2));
}

TEST(Compare, RowsFollowTheExperimentAndNotTheCells) {
  ExperimentResult result = sample_result();
  std::reverse(result.cells.begin(), result.cells.end());
  result.rows.push_back({"not run yet", {}, {}});
  const Comparison comparison = compare(result, "bits");
  ASSERT_EQ(comparison.rows.size(), 3U);
  EXPECT_EQ(comparison.rows[0].label, "sinusoidal");
}

TEST(Compare, EachConditionHasItsOwnScores) {
  const ExperimentResult result = report_test::two_factors();
  EXPECT_NEAR(compare(result, "bits").rows[0].entries[1].summary.mean, 2.05, 1e-12);
  const Comparison window = compare(result, "bits", "window(size=4)");
  EXPECT_EQ(window.rows[0].entries[0].summary.n, 0);
  EXPECT_NEAR(window.rows[0].entries[1].summary.mean, 11.05, 1e-12);
}

TEST(Compare, WithoutAConditionTheFirstOneCounts) {
  ExperimentResult result = report_test::two_factors();
  std::swap(result.conditions[0], result.conditions[1]);
  EXPECT_NEAR(compare(result, "bits").rows[0].entries[1].summary.mean, 11.05, 1e-12);
  result.conditions.clear();
  EXPECT_NEAR(compare(result, "bits").rows[0].entries[1].summary.mean, 2.05, 1e-12);
}

TEST(Compare, TheTrainingLengthIsThatOfTheRow) {
  ExperimentResult result = report_test::mixed_training();
  result.gate = LearningGate{"bits", 1.05, "bits per token of at most 1.05"};
  for (CellResult& cell : result.cells) {
    for (LengthScore& score : cell.scores) {
      if (score.length == cell.train_length) report_test::value(score) = 1.0;
    }
  }
  for (const ComparisonRow& row : compare(result, "bits").rows) EXPECT_TRUE(row.learned()) << row.label;
}

TEST(Compare, AFailureIsNotANumberAndKeepsItsReason) {
  const Entry entry = compare(sample_result(), "bits").rows[1].entries[1];
  EXPECT_FALSE(entry.has_number());
  EXPECT_EQ(entry.failed, 3);
  EXPECT_EQ(entry.why, report_test::failure_reason);
}

TEST(Compare, ANumberThatIsNotFiniteIsADivergenceAndNeverPartOfAMean) {
  ExperimentResult result = sample_result();
  value(result.cells[1].scores[0]) = not_a_number;
  const Entry entry = compare(result, "bits").rows[0].entries[0];
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
  const PairedComparison pairs = compare_entries(left, right, {});
  EXPECT_EQ(pairs.n, 2);
  EXPECT_DOUBLE_EQ(pairs.effect, 1.0);
}

TEST(BestRow, FollowsTheDirectionOfTheMetricAndIgnoresFailures) {
  ExperimentResult result = sample_result();
  EXPECT_EQ(best_row(compare(result), 0), 1U);
  EXPECT_EQ(best_row(compare(result), 2), 2U);
  result.metrics[0].lower_is_better = false;
  EXPECT_EQ(best_row(compare(result), 2), 0U);
}

TEST(BestRow, IsNeverOneThatDidNotLearn) {
  ExperimentResult result = sample_result();
  result.gate = LearningGate{"bits", 1.05, "bits per token of at most 1.05"};  // none: 1.1, 1.0 and 1.3
  EXPECT_EQ(best_row(compare(result), 2), std::nullopt);
}

TEST(Differences, AreCorrectedForTheirNumberAndKeepTheirDirection) {
  const Comparison comparison = compare(sample_result());
  const Differences differences(comparison, 0, 0);
  const PairedComparison forward = differences.better(0, 1, 0);
  const PairedComparison backward = differences.better(0, 0, 1);
  EXPECT_NEAR(forward.effect, 0.1, 1e-12) << "lower is better";
  EXPECT_DOUBLE_EQ(forward.effect, -backward.effect);
  EXPECT_DOUBLE_EQ(forward.low, -backward.high);
  const PairedComparison alone =
      compare_entries(comparison.rows[0].entries[0], comparison.rows[1].entries[0], {});
  EXPECT_LT(forward.low, alone.low) << "an interval among three is wider";
}

TEST(Differences, OfTwoColumnsIncludeTheChangeOfEachRowBetweenThem) {
  const Differences differences(compare(sample_result()), 0, 2, 2);
  EXPECT_NEAR(differences.change(0).effect, 2.02, 1e-12);
  EXPECT_EQ(differences.change(1).n, 0) << "learned cannot run there";
  EXPECT_EQ(differences.tests(), 2 * (3 + 3 + 1)) << "three pairs, three rows, one pair, twice";
  EXPECT_NEAR(differences.better(2, 2, 0).effect, 1.987, 1e-3);
}

TEST(MultipleOf, IsShort) {
  EXPECT_EQ(multiple_of(64, 64), "1x");
  EXPECT_EQ(multiple_of(96, 64), "1.5x");
  EXPECT_EQ(multiple_of(65536, 64), "1024x");
  EXPECT_EQ(multiple_of(64, 0), "");
}

}  // namespace
}  // namespace ordinal::experiments
