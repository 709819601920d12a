#include "experiments/report/causes.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/report/html.h"
#include "tests/experiments/report/sample_result.h"

namespace ordinal::experiments {
namespace {

using report_test::under;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Trained at 4: 1 bit. At 16: 3 bits; positions alone cost 1.5, a window saves 0.25.
ExperimentResult with_conditions() {
  ExperimentResult result = report_test::sample_result(0);
  result.conditions = {trained_condition, "shifted(offset=4)", "window"};
  result.rows = {report_test::encoding_row("rope")};
  result.cells.push_back(
      report_test::cell("rope", 1,
                        {report_test::score(4, 1.0, not_a_number), report_test::score(16, 3.0, 3.5),
                         under("shifted(offset=4)", report_test::score(4, 2.5, not_a_number)),
                         under("shifted(offset=4)", report_test::score(16, 3.0, 3.5)),
                         under("window", report_test::score(16, 2.75, 3.0))}));
  return result;
}

// The texts of the only line.
std::vector<std::string> line_of(const ExperimentResult& result) {
  std::vector<std::string> texts;
  const Grid grid = causes_grid(result);
  EXPECT_EQ(grid.lines.size(), 1U);
  for (const GridCell& cell : grid.lines.at(0)) texts.push_back(cell.text);
  return texts;
}

TEST(Causes, AreWhatALongerTestCostsAndItsPartsByThemselves) {
  EXPECT_THAT(line_of(with_conditions()), ElementsAre("rope", "2.000", "1.500", "0.250"));
}

TEST(Causes, ALossIsPositiveWhereHigherIsBetter) {
  ExperimentResult result = with_conditions();
  result.metrics[0].measure = Measure::accuracy;
  EXPECT_THAT(line_of(result), ElementsAre("rope", "-2.000", "-1.500", "-0.250"));
}

TEST(Causes, NeedBothConditionsAndALearnedRow) {
  ExperimentResult result = with_conditions();
  result.gate = LearningGate{"bits", 0.5, "0.5 bits"};
  EXPECT_TRUE(causes_grid(result).lines.empty());
  result = with_conditions();
  result.conditions.pop_back();
  EXPECT_TRUE(causes_grid(result).lines.empty());
  EXPECT_TRUE(causes_grid(report_test::mixed_training()).lines.empty());
}

TEST(Causes, NeedALengthPastTraining) {
  ExperimentResult result = with_conditions();
  result.train_length = result.lengths.back();
  EXPECT_TRUE(causes_grid(result).lines.empty());
}

// Three offsets cost 1.5, 0.5 and 1.
TEST(Causes, OfSeveralOffsetsAreTheirMean) {
  ExperimentResult result = with_conditions();
  for (const auto& [offset, bits] : {std::pair(8, 1.5), std::pair(12, 2.0)}) {
    result.conditions.push_back(fmt::format("shifted(offset={})", offset));
    report_test::add(result.cells[0],
                     under(result.conditions.back(), report_test::score(4, bits, not_a_number)));
  }
  EXPECT_EQ(line_of(result)[2], "1.000");
}

TEST(Causes, AreATableOfThePage) {
  EXPECT_THAT(report_page(with_conditions()),
              HasSubstr("<tr data-row=\"rope\"><th scope=\"row\">rope</th><td>2.000</td><td>1.500</td>"
                        "<td>0.250</td></tr>"));
}

}  // namespace
}  // namespace ordinal::experiments
