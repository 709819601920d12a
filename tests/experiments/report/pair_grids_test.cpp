#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/experiments/report/sample_result.h"

namespace ordinal::experiments {
namespace {

using report_test::sample_result;
using report_test::texts;
using ::testing::ElementsAre;

TEST(PairGrids, SayWhoIsAheadByHowMuchAndInHowManySeeds) {
  const std::vector<Grid> grids = pair_grids(sample_result(6));
  ASSERT_EQ(grids.size(), 1U);
  EXPECT_EQ(grids[0].title, "bits per token, pairs at length 16 (4x)");
  ASSERT_EQ(grids[0].lines.size(), 1U) << "learned fails, so it is in no pair";
  EXPECT_THAT(texts(grids[0].lines[0]),
              ElementsAre("none", "sinusoidal", "2.180 (1.910 to 2.450)", "6 of 6", "0.031"));
}

TEST(PairGrids, MarkPairsThatAreUndecided) {
  ExperimentResult result = sample_result(3);
  EXPECT_THAT(texts(pair_grids(result)[0].lines[0]),
              ElementsAre("none", "sinusoidal", "1.930", "3 of 3", "0.25 (undecided)"));
  for (CellResult& cell : result.cells)
    if (cell.row != "learned" && cell.seed == 2) report_test::value(cell, 16) = 1.0;
  EXPECT_THAT(texts(pair_grids(result)[0].lines[0]),
              ElementsAre("none", "sinusoidal", "1.910", "2 of 3 (1 level)", "1 (undecided)"));
}

// Seeds, not means: a single outlier makes the mean of the other row better.
TEST(PairGrids, BeginWithTheRowThatIsAheadInMoreSeeds) {
  ExperimentResult result = sample_result(9);
  for (CellResult& cell : result.cells) {
    if (cell.row == "sinusoidal") report_test::value(cell, 16) = 1.0;
    if (cell.row == "none") report_test::value(cell, 16) = cell.seed == 9 ? -9.0 : 1.1;
  }
  EXPECT_THAT(texts(pair_grids(result)[0].lines[0]),
              ElementsAre("sinusoidal", "none", "0.100 (0.100 to 0.100)", "8 of 9", "0.039"));
}

TEST(PairGrids, OfEachHeadlineAreOrderedByTheMeansOfRows) {
  ExperimentResult result = report_test::two_factors(9);
  for (MetricSpec& metric : result.metrics) metric.headline = true;
  const std::vector<Grid> grids = pair_grids(result);
  ASSERT_EQ(grids.size(), 2U);
  ASSERT_EQ(grids[0].lines.size(), 6U) << "of four rows";
  EXPECT_EQ(grids[0].lines[0][0].text, "rope, d_model = 64");
  EXPECT_EQ(grids[0].lines[0][1].text, "rope, d_model = 128");
  EXPECT_EQ(grids[0].lines[5][0].text, "alibi, d_model = 64");
}

TEST(PairGrids, OfASingleRowAreNone) {
  ExperimentResult result = sample_result();
  std::erase_if(result.rows, [](const RowInfo& row) { return row.label != "none"; });
  EXPECT_TRUE(pair_grids(result).empty());
}

}  // namespace
}  // namespace ordinal::experiments
