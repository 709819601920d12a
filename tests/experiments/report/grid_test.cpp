#include "experiments/report/grid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <utility>

#include "tests/experiments/report/sample_result.h"

namespace ordinal::experiments {
namespace {

using report_test::baseline;
using report_test::failure_text;
using report_test::sample_result;
using report_test::score;
using report_test::texts;
using report_test::two_factors;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(FormatValue, KeepsAboutFourDigits) {
  EXPECT_EQ(format_value(1.23456), "1.235");
  EXPECT_EQ(format_value(-0.06), "-0.060");
  EXPECT_EQ(format_value(12.3456), "12.35");
  EXPECT_EQ(format_value(123.456), "123.5");
  EXPECT_EQ(format_value(1234.56), "1235");
  EXPECT_EQ(format_value(9.9999), "10.00");
  EXPECT_EQ(format_value(1.5e7), "1.5e+07");
  EXPECT_EQ(format_value(not_a_number), "–");
  EXPECT_EQ(format_value(std::numeric_limits<double>::infinity()), "∞");
}

TEST(GroupThousands, EveryThreeDigits) {
  EXPECT_EQ(group_thousands(999), "999");
  EXPECT_EQ(group_thousands(1234567), "1,234,567");
  EXPECT_EQ(group_thousands(-123), "-123");
}

TEST(CellText, SaysWhatIsThere) {
  Group group{.learning = {.seeds = 3, .learned = 3}};
  EXPECT_EQ(cell_text(group, 3), "–");
  group.failed = 3;
  EXPECT_EQ(cell_text(group, 3), "fails");
  group.failed = 1;
  group.summary = summarize(std::vector<double>{1.0, 1.2});
  EXPECT_EQ(cell_text(group, 3), "0 targets");
  group.targets = 100;
  EXPECT_EQ(cell_text(group, 3), "1.100 ± 0.141 (n = 2)");
  EXPECT_EQ(cell_text(group, 2), "1.100 ± 0.141");
  group.learning.learned = 2;
  EXPECT_EQ(cell_text(group, 2), "(1.100 ± 0.141)") << "fewer than three quarters of the seeds learned";
  EXPECT_EQ(cell_text(group, 3), "(1.100 ± 0.141, n = 2)");
  group = {.diverged = 3};
  EXPECT_EQ(cell_text(group, 3), "diverged");
}

TEST(MainGrid, NamesReadersBelowTheRowsAndHowManySeedsLearned) {
  ExperimentResult result = sample_result();
  result.references = baseline("oracle", {score(4, 0.5), score(16, 0.25, 0.25)});
  result.references.push_back(
      {.row = "knows another metric", .length = 4, .metric = {.id = "accuracy"}, .value = 1.0});
  report_test::gate(result, 1.05, "bits per token of at most 1.05");
  const Grid grid = main_grid(result, result.metrics.front());
  ASSERT_EQ(grid.lines.size(), 4U);
  EXPECT_EQ(grid.headings[2], "seeds that learned");
  EXPECT_EQ(grid.lines[0][2].text, "1/3 (0.01 to 0.91)");
  EXPECT_TRUE(grid.lines[3][0].reference);
  EXPECT_EQ(grid.lines[3][0].text, "oracle");
  EXPECT_EQ(grid.lines[3][3].text, "0.500");
  EXPECT_EQ(grid.lines[3][4].text, "–");
  EXPECT_EQ(grid.lines[3][5].text, "0.250");
}

// A seed without a score at the training length has neither learned nor failed to.
TEST(MainGrid, CountsAsLearnedOnlyWhatWasScored) {
  ExperimentResult result = sample_result();
  const auto learned = [&] {
    report_test::gate(result, 5.0, "bits per token of at most 5");
    return main_grid(result, result.metrics.front()).lines[0][2].text;
  };
  result.cells[0].scores.erase(result.cells[0].scores.begin());
  EXPECT_EQ(learned(), "2/2 (0.16 to 1.00), 1 unknown");
  for (std::size_t i = 1; i < 3; ++i) result.cells[i].scores.erase(result.cells[i].scores.begin());
  EXPECT_EQ(learned(), "unknown");
}

// A seed that diverged did not learn, and counts.
TEST(MainGrid, CountsSeedsThatDiverged) {
  ExperimentResult result = sample_result(8);
  for (std::size_t i = 0; i < 2; ++i)
    for (Score& score : result.cells[i].scores) score.value = not_a_number;
  report_test::gate(result, 0.5, "bits per token of at most 0.5");
  const Grid grid = main_grid(result, result.metrics.front());
  EXPECT_THAT(grid.title, ::testing::EndsWith("over 8 seeds"));
  EXPECT_EQ(grid.lines[0][2].text, "0/8 (0.00 to 0.37)");
  EXPECT_EQ(grid.lines[0][3].text, "(1.450 ± 0.187, n = 6)");
  report_test::gate(result, 2.0, "bits per token of at most 2");
  EXPECT_EQ(main_grid(result, result.metrics.front()).lines[0][2].text, "6/8 (0.35 to 0.97)");
  EXPECT_EQ(main_grid(result, result.metrics.front()).lines[0][3].text, "1.450 ± 0.187 (n = 6)");
  EXPECT_FALSE(at(result, "sinusoidal", 16, trained_condition, result.metrics.front()).is_ranked());
}

TEST(MainGrid, MixedRowsAreHeadedRowAndNamedByTheirLabel) {
  ExperimentResult result = report_test::mixed_training();
  result.rows[2].label = "none, train_length = 8";
  for (CellResult& cell : result.cells) {
    if (cell.row == "none") cell.row = result.rows[2].label;
  }
  const Grid grid = main_grid(result, result.metrics.front());
  EXPECT_THAT(grid.headings, ElementsAre("row", "parameters", "4", "8", "16"));
  EXPECT_EQ(grid.lines[2][0].text, "none, train_length = 8");
  for (RowInfo& row : result.rows) row.factors.clear();
  EXPECT_EQ(main_grid(result, result.metrics.front()).headings[0], "row");
}

TEST(MainGrid, KeysThatEndAlikeKeepTheirSection) {
  ExperimentResult result = sample_result();
  for (RowInfo& row : result.rows) row.factors = {{"train.steps", row.label}, {"finetune.steps", "7"}};
  const Grid grid = main_grid(result, result.metrics.front());
  EXPECT_EQ(grid.names, 2U);
  EXPECT_EQ(grid.headings[0], "train.steps");
  EXPECT_EQ(grid.headings[1], "finetune.steps");
}

TEST(MainGrid, ANoteStandsBesideTheEncodingUnlessThatSaysIt) {
  ExperimentResult result = sample_result();
  for (CellResult& cell : result.cells) {
    if (cell.row == "learned") cell.note = "overflow = clamp";
  }
  EXPECT_EQ(main_grid(result, result.metrics.front()).lines[1][0].text, "learned (overflow = clamp)");
  for (RowInfo& row : result.rows) row.factors.emplace_back("model.d_model", "64");
  const Grid grid = main_grid(result, result.metrics.front());
  EXPECT_EQ(grid.lines[1][0].text, "learned (overflow = clamp)");
  EXPECT_EQ(grid.lines[1][1].text, "64");
  result.rows[1].factors[0].second = "learned(overflow=clamp)";
  EXPECT_EQ(main_grid(result, result.metrics.front()).lines[1][0].text, "learned(overflow=clamp)");
}

TEST(PivotGrids, TheBestIsThatOfTheWholeTableAtTheLongestLength) {
  const std::vector<Grid> grids = pivot_grids(two_factors(8));
  EXPECT_FALSE(grids[0].lines[0][1].best) << "rows are not compared at this length";
  EXPECT_TRUE(grids[1].lines[0][1].best);
  EXPECT_FALSE(grids[1].lines[0][2].best);
  EXPECT_FALSE(grids[1].lines[1][2].best);
}

TEST(MainGrid, OfFewTargetsCountsThem) {
  ExperimentResult result = sample_result();
  result.references = baseline("oracle", {score(4, 0.5)});
  result.references[0].tokens = result.cells[2].scores[0].tokens = 23;
  const Grid grid = main_grid(result, result.metrics.front());
  EXPECT_THAT(texts(grid.lines[0]),
              ElementsAre("sinusoidal", "12,345", "23 targets", "2.100 ± 0.100", "3.120 ± 0.110"));
  EXPECT_EQ(grid.lines[3][2].text, "23 targets");
}

TEST(MainGrid, WithoutATargetHasNoSeedWithANumber) {
  ExperimentResult result = sample_result(1);
  EXPECT_THAT(main_grid(result, result.metrics[1]).title, HasSubstr("one seed, so no spread"));
  result.lengths = {4};
  EXPECT_THAT(main_grid(result, result.metrics[1]).title, ::testing::EndsWith(", no seed has a number"));
}

TEST(MainGrid, OfARunThatGoesOnIsPreliminary) {
  ExperimentResult result = sample_result();
  EXPECT_THAT(main_grid(result, result.metrics[0]).title, ::testing::EndsWith("over 3 seeds"));
  result.so_far = SeedsSoFar{3, 10};
  EXPECT_THAT(main_grid(result, result.metrics[0]).title,
              ::testing::EndsWith("over 3 seeds; preliminary: 3 of 10 seeds"));
}

TEST(PivotGrids, NeedTwoFactors) {
  EXPECT_TRUE(pivot_grids(sample_result()).empty());
  // An explicit row is not in them, but does not affect the others.
  ExperimentResult result = two_factors();
  const std::size_t grids = pivot_grids(result).size();
  result.rows.push_back({"written out", {}, {}});
  result.cells.push_back(result.cells.front());
  result.cells.back().row = "written out";
  EXPECT_EQ(pivot_grids(result).size(), grids);
  EXPECT_EQ(main_grid(result, result.metrics.front()).lines.back().front().text, "written out");
}

TEST(MainGrid, AnotherConditionThanThatOfTrainingIsInTheTitle) {
  ExperimentResult result = two_factors();
  std::swap(result.conditions[0], result.conditions[1]);
  EXPECT_THAT(main_grid(result, result.metrics.front()).title, HasSubstr("under window(size=4)"));
}

TEST(TableNotes, SayOfEachRowWhyItFailsOrWhereItDiverges) {
  ExperimentResult result = sample_result();
  report_test::value(result.cells[0], 8) = not_a_number;
  EXPECT_THAT(table_notes(result),
              ElementsAre("sinusoidal gives no finite bits per token from 8 on in 1 of 3 seeds.",
                          std::string("learned fails: ") + failure_text, HasSubstr("standard error")));
}

TEST(TableNotes, SayWhatMayHelpWhereARowDidNotLearn) {
  ExperimentResult result = sample_result();
  report_test::gate(result, 1.05, "at most 1.05 bits");
  EXPECT_EQ(table_notes(result).front(),
            "Learned: at most 1.05 bits. Rows that fewer than three quarters of the seeds learned stand in "
            "parentheses and are not ranked. More train.steps or another train.learning_rate may help.");
  report_test::gate(result, 2.0, "at most 2 bits");
  EXPECT_THAT(table_notes(result).front(), ::testing::EndsWith("and are not ranked."));
}

TEST(TableNotes, AFailureUnderAnotherConditionSaysSo) {
  ExperimentResult result = two_factors();
  for (CellResult& cell : result.cells)
    report_test::add(cell, report_test::under("window(size=4)", report_test::failure(4)));
  EXPECT_EQ(table_notes(result).front(),
            std::string("rope, d_model = 64 fails under window(size=4): ") + failure_text);
}

}  // namespace
}  // namespace ordinal::experiments
