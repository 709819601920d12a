#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/experiments/report/sample_result.h"

namespace ordinal::experiments {
namespace {

using report_test::sample_result;
using report_test::score;
using report_test::texts;
using report_test::under;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Trained at 4: 1 bit. At 16: 3 bits; positions alone cost 1.5, a window saves 0.25.
ExperimentResult with_conditions() {
  ExperimentResult result = report_test::sample_result(0);
  result.conditions = {trained_condition, "shifted(offset=4)", "window"};
  result.rows = {report_test::encoding_row("rope")};
  result.cells.push_back(report_test::cell(
      "rope", 1,
      {score(4, 1.0), score(16, 3.0, 3.5), under("shifted(offset=4)", score(4, 2.5)),
       under("shifted(offset=4)", score(16, 3.0, 3.5)), under("window", score(16, 2.75, 3.0))}));
  return result;
}

TEST(Conditions, AreOneTableAtTheTrainingLengthAndTheLongest) {
  const Grid grid = condition_grids(with_conditions()).at(0);
  EXPECT_EQ(grid.title, "bits per token under each condition");
  EXPECT_THAT(grid.headings, ElementsAre("encoding", "4, trained", "4, shifted(offset=4)", "16, trained",
                                         "16, shifted(offset=4)", "16, window"));
  EXPECT_THAT(texts(grid.lines.at(0)), ElementsAre("rope", "1.000", "2.500", "3.000", "3.000", "2.750"));
}

TEST(Conditions, HaveATableForEachHeadlineWithItsColumnsThatHaveTargets) {
  ExperimentResult result = with_conditions();
  for (MetricSpec& metric : result.metrics) metric.headline = true;
  const std::vector<Grid> grids = condition_grids(result);
  ASSERT_EQ(grids.size(), 2U);
  EXPECT_THAT(grids[1].headings,
              ElementsAre("encoding", "16, trained", "16, shifted(offset=4)", "16, window"));
}

TEST(Conditions, WithoutAShorterTrainingLengthAreAllAtTheLongest) {
  ExperimentResult result = with_conditions();
  result.train_length = 16;
  EXPECT_THAT(condition_grids(result).at(0).headings,
              ElementsAre("encoding", "16, trained", "16, shifted(offset=4)", "16, window"));
  result = report_test::two_factors();
  result.limited = {{"window(size=4)", {8}}};
  const Grid grid = condition_grids(result).at(0);
  EXPECT_THAT(grid.headings, ElementsAre("encoding", "d_model", "8, trained", "8, window(size=4)"));
  EXPECT_THAT(texts(grid.lines[0]), ElementsAre("rope", "64", "2.050 ± 0.071", "11.05 ± 0.07"));
  EXPECT_TRUE(grid.lines[3][3].missing);
}

TEST(Conditions, ThatAreNotTestedThereStandAtTheirLongestLength) {
  ExperimentResult result = with_conditions();
  result.limited = {{"shifted(offset=4)", {8, 16}}, {"window", {4, 8}}};
  result.cells = {
      report_test::cell("rope", 1,
                        {score(4, 1.0), score(16, 3.0, 3.5), under("shifted(offset=4)", score(8, 2.0, 2.5)),
                         under("shifted(offset=4)", score(16, 4.0, 4.5)), under("window", score(4, 1.25)),
                         under("window", score(8, 1.5, 1.75))})};
  const Grid grid = condition_grids(result).at(0);
  EXPECT_THAT(grid.headings, ElementsAre("encoding", "4, trained", "4, window", "8, window", "16, trained",
                                         "16, shifted(offset=4)"));
  EXPECT_THAT(texts(grid.lines.at(0)), ElementsAre("rope", "1.000", "1.250", "1.500", "3.000", "4.000"));
}

TEST(Conditions, NeedTwo) { EXPECT_THAT(condition_grids(report_test::sample_result()), IsEmpty()); }

/// The sample, whose headline is split into two bands. In the second, seeds have 23 targets.
ExperimentResult with_bands() {
  ExperimentResult result = sample_result();
  result.metrics[1].band_of = "bits";
  result.metrics[1].band = "1x to 2x";
  result.metrics.push_back(
      {.id = "bits.2x", .name = "bits per token", .band_of = "bits", .band = "2x to 4x"});
  for (CellResult& cell : result.cells)
    if (cell.row != "learned")
      report_test::add(cell, {16, {{.metric = {.id = "bits.2x"}, .value = 1.0, .tokens = 23}}});
  return result;
}

TEST(BandGrids, HaveAColumnForEachBandAtTheLongestLength) {
  const std::vector<Grid> grids = band_grids(with_bands());
  ASSERT_EQ(grids.size(), 1U);
  EXPECT_EQ(grids[0].title, "bits per token at length 16 (4x), by the distance of the source");
  EXPECT_EQ(with_bands().metrics[1].title(), "bits per token past the training length (1x to 2x)");
  EXPECT_THAT(grids[0].headings, ElementsAre("encoding", "1x to 2x", "2x to 4x"));
  EXPECT_THAT(texts(grids[0].lines[0]), ElementsAre("sinusoidal", "4.100 ± 0.100", "23 targets"));
  EXPECT_THAT(texts(grids[0].lines[1]), ElementsAre("learned", "fails", "–"));
  EXPECT_THAT(texts(grids[0].lines[2]), ElementsAre("none", "1.133 ± 0.153", "23 targets"));
}

TEST(BandGrids, OfAHeadlineWithoutBandsAreNone) {
  ExperimentResult result = with_bands();
  result.metrics[0].id = "other";
  EXPECT_TRUE(band_grids(result).empty());
  EXPECT_TRUE(band_grids(sample_result()).empty());
}

}  // namespace
}  // namespace ordinal::experiments
