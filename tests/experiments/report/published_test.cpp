// Scores past the training length as papers give them, and beside the numbers of a paper.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/report/html.h"
#include "experiments/report/table.h"
#include "tests/experiments/report/sample_result.h"

namespace ordinal::experiments {
namespace {

using report_test::sample_result;
using report_test::texts;
using ::testing::ElementsAre;

// A paper in which none is best at 1x and sinusoidal past it; we see none best past it.
ExperimentResult sample() {
  ExperimentResult result = sample_result();
  result.published = {
      {.source = "A paper, Table 1",
       .metric = "bits",
       .columns = {{"1x", {0}}, {"unseen", {1, 2}}},
       .rows = {{"sinusoidal", {20.0, 30.0}}, {"learned", {20.5, not_a_number}}, {"none", {19.0, 40.0}}}}};
  return result;
}

TEST(Published, StandsBesideOursWithTheAgreementOfTheOrders) {
  const std::vector<Grid> grids = published_grids(sample());
  ASSERT_EQ(grids.size(), 1U);
  const Grid& grid = grids.front();
  EXPECT_EQ(grid.title, "A paper, Table 1: bits per token");
  EXPECT_THAT(grid.headings, ElementsAre("row", "1x, theirs", "ours", "unseen, theirs", "ours"));
  EXPECT_THAT(texts(grid.lines[0]),
              ElementsAre("sinusoidal", "20.00", "1.100 ± 0.100", "30.00", "2.610 ± 0.105"));
  EXPECT_THAT(texts(grid.lines[1]), ElementsAre("learned", "20.50", "1.000 ± 0.000", "–", "–"));
  EXPECT_EQ(grid.lines[3][0].text, "Kendall's τ (chance)");
  EXPECT_EQ(grid.lines[3][4].text, "-1.00 (1)");
}

TEST(Published, HasItsNoteBelowIt) {
  ExperimentResult result = sample();
  result.published.front().note = "They train longer.";
  result.published.push_back(result.published.front());
  result.published.back().source = "Another paper";
  result.published.back().note = "";
  for (const std::string& text : {report_page(result, {}), markdown_tables(result)}) {
    const std::size_t note = text.find("They train longer.");
    ASSERT_NE(note, std::string::npos);
    EXPECT_LT(text.find("A paper, Table 1"), note);
    EXPECT_LT(note, text.find("Another paper"));
  }
}

TEST(Published, LeavesOutSeedsThatDidNotLearnUnlessAllAreAskedFor) {
  ExperimentResult result = sample();
  result.gate = LearningGate{"bits", 1.15, "1.15 bits"};  // sinusoidal: seeds 1 and 2
  EXPECT_EQ(published_grids(result)[0].lines[0][4].text, "2.558 ± 0.074");
  result.published[0].only_learned = false;
  EXPECT_EQ(published_grids(result)[0].lines[0][4].text, "2.610 ± 0.105");
}

TEST(Unseen, IsTheMeanOfEachSeedOverTheLengthsPastTheTrainingLength) {
  const Comparison comparison = compare(sample_result());
  const ComparisonRow& sinusoidal = comparison.rows[0];
  const Summary summary = summary_over(sinusoidal, {1, 2}, comparison.metric);
  ASSERT_EQ(summary.n, sinusoidal.entries[1].summary.n);
  EXPECT_NEAR(summary.mean, (sinusoidal.mean(1) + sinusoidal.mean(2)) / 2.0, 1e-12);
  EXPECT_EQ(summary_over(comparison.rows[1], {1, 2}, comparison.metric).n, 0) << "learned cannot run past 4";
}

}  // namespace
}  // namespace ordinal::experiments
