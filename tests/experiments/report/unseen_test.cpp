#include "experiments/report/unseen.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/experiments/report/sample_result.h"

namespace ordinal::experiments {
namespace {

using report_test::sample_result;

// The sample as an accuracy: sinusoidal falls from 0.9 to 0.7 and 0.3, none stays at 0.8.
ExperimentResult accuracies() {
  ExperimentResult result = sample_result();
  result.metrics = {{.id = "bits", .name = "accuracy", .unit = "", .lower_is_better = false}};
  for (CellResult& cell : result.cells) {
    for (LengthScore& score : cell.scores) {
      if (score.failed) continue;
      const double falling = score.length == 4 ? 0.9 : score.length == 8 ? 0.7 : 0.3;
      report_test::value(score) = cell.row == "sinusoidal" ? falling : 0.8;
    }
  }
  return result;
}

TEST(Unseen, IsTheMeanOfEachSeedOverTheLengthsPastTheTrainingLength) {
  const ExperimentResult result = sample_result();
  const Comparison comparison = compare(result);
  const Summary summary = unseen_summary(comparison, 0, 4);
  ASSERT_EQ(summary.n, comparison.rows[0].entries[1].summary.n);
  EXPECT_NEAR(summary.mean,
              (comparison.rows[0].entries[1].summary.mean + comparison.rows[0].entries[2].summary.mean) / 2.0,
              1e-12);
  EXPECT_EQ(unseen_summary(comparison, 1, 4).n, 0) << "learned cannot run past 4";
}

TEST(HalfLength, IsInterpolatedBetweenTestedLengths) {
  const Comparison comparison = compare(accuracies());
  EXPECT_EQ(half_length(comparison, 0), "12");  // half way from 0.7 at 8 to 0.3 at 16
  EXPECT_EQ(half_length(comparison, 1), "") << "learned cannot run past 4";
  EXPECT_EQ(half_length(comparison, 2), "> 16");
  ExperimentResult low = accuracies();
  for (CellResult& cell : low.cells) report_test::value(cell.scores.front()) = 0.4;
  EXPECT_EQ(half_length(compare(low), 2), "") << "never above one half";
}

TEST(UnseenGrids, ShowBothForAccuraciesAndTheMeanAloneForBits) {
  const Grid accuracy = unseen_grids(accuracies()).front();
  EXPECT_EQ(accuracy.headings.back(), "under one half from length");
  EXPECT_EQ(accuracy.lines[0][1].text, "0.500 ± 0.000");
  EXPECT_EQ(accuracy.lines[0][2].text, "12");
  EXPECT_EQ(accuracy.lines[1][1].text, "–");
  EXPECT_EQ(unseen_grids(sample_result()).front().headings.back(), "mean");
}

TEST(UnseenGrids, NeedTwoLengthsPastOneTrainingLength) {
  ExperimentResult result = sample_result();
  result.lengths = {4, 8};
  EXPECT_TRUE(unseen_grids(result).empty());
  result = sample_result();
  result.train_length = 0;
  EXPECT_TRUE(unseen_grids(result).empty());
}

}  // namespace
}  // namespace ordinal::experiments
