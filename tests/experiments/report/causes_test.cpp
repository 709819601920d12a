#include "experiments/report/causes.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/report/html.h"
#include "tests/experiments/report/sample_result.h"

namespace ordinal::experiments {
namespace {

// Trained at 4: 1 bit. At 16: 3 bits; positions alone cost 1.5, a window saves 0.25.
ExperimentResult with_conditions() {
  ExperimentResult result = report_test::sample_result(0);
  result.conditions = {trained_condition, "shifted(offset=4)", "window"};
  result.rows = {report_test::encoding_row("rope")};
  const auto under = [](const std::string& condition, LengthScore score) {
    score.condition = condition;
    return score;
  };
  result.cells.push_back(
      report_test::cell("rope", 1,
                        {report_test::score(4, 1.0, not_a_number), report_test::score(16, 3.0, 3.5),
                         under("shifted(offset=4)", report_test::score(4, 2.5, not_a_number)),
                         under("shifted(offset=4)", report_test::score(16, 3.0, 3.5)),
                         under("window", report_test::score(16, 2.75, 3.0))}));
  return result;
}

TEST(Causes, AreWhatALongerTestCostsAndItsPartsByThemselves) {
  const std::vector<Causes> all = causes(with_conditions());
  ASSERT_EQ(all.size(), 1U);
  EXPECT_DOUBLE_EQ(all[0].positions, 1.5);
  EXPECT_DOUBLE_EQ(all[0].attention, 0.25);
  EXPECT_DOUBLE_EQ(all[0].total, 2.0);
}

TEST(Causes, ALossIsPositiveWhereHigherIsBetter) {
  ExperimentResult result = with_conditions();
  result.metrics[0].lower_is_better = false;
  EXPECT_DOUBLE_EQ(causes(result)[0].positions, -1.5);
}

TEST(Causes, NeedBothConditionsAndALearnedRow) {
  ExperimentResult result = with_conditions();
  result.gate = LearningGate{"bits", 0.5, "0.5 bits"};
  EXPECT_TRUE(causes(result).empty());
  result = with_conditions();
  result.conditions.pop_back();
  EXPECT_TRUE(causes(result).empty());
  EXPECT_TRUE(causes(report_test::mixed_training()).empty());
}

TEST(Causes, IncludeLogNAndTheSameLastTargetsIfTheyWereTested) {
  ExperimentResult result = with_conditions();
  EXPECT_TRUE(std::isnan(causes(result)[0].sharpening + causes(result)[0].context));
  result.conditions.insert(result.conditions.end(), {"log_n", "last(k=2)"});
  const auto add = [&](const std::string& condition, Index length, double bits) {
    result.cells[0].scores.push_back(report_test::score(length, bits, bits));
    result.cells[0].scores.back().condition = condition;
  };
  add("log_n", 4, 1.0);
  add("log_n", 16, 2.5);
  add("last(k=2)", 4, 1.25);
  add("last(k=2)", 16, 1.125);
  EXPECT_DOUBLE_EQ(causes(result)[0].sharpening, 0.5);
  EXPECT_DOUBLE_EQ(causes(result)[0].context, -0.125);
  EXPECT_THAT(cause_sentences(result)[0],
              testing::EndsWith(
                  "would save it 0.250. Scaling scores by log n / log L at the longest length would save it "
                  "0.500. On the same targets (“last(k=2)”), the longer context saves it 0.125."));
}

// Three offsets cost 1.5, 0.5 and 1.
TEST(Causes, OfSeveralOffsetsHaveAMeanAndARange) {
  ExperimentResult result = with_conditions();
  for (const auto& [offset, bits] : {std::pair(8, 1.5), std::pair(12, 2.0)}) {
    result.conditions.push_back(fmt::format("shifted(offset={})", offset));
    result.cells[0].scores.push_back(report_test::score(4, bits, not_a_number));
    result.cells[0].scores.back().condition = result.conditions.back();
  }
  EXPECT_DOUBLE_EQ(causes(result)[0].positions, 1.0);
  EXPECT_THAT(cause_sentences(result)[0],
              testing::HasSubstr("unseen positions alone cost it 1.000 (0.500 to 1.500); at the longest"));
  EXPECT_EQ(causes_grid(result).lines[0][2].text, "1.000 (0.500 to 1.500)");
}

TEST(Causes, ThatAreTakenAwayTogetherAreSaid) {
  ExperimentResult result = with_conditions();
  result.conditions.emplace_back("truncated");
  result.cells[0].scores.push_back(report_test::score(16, 1.25, 1.5));
  result.cells[0].scores.back().condition = "truncated";
  EXPECT_DOUBLE_EQ(causes(result)[0].both, 1.75);
  EXPECT_THAT(cause_sentences(result)[0],
              testing::EndsWith(
                  "would save it 0.250, and the last keys alone at positions of training (“truncated”) save "
                  "it 1.750."));
}

// Either change alone restores most of what is lost.
TEST(Causes, ThatOverlapAreNotSaidOrDrawnAsASum) {
  ExperimentResult result = with_conditions();
  report_test::value(result.cells[0].scores[4]) = 1.5;  // window
  const std::string picture = causes_svg(result);       // each part is a bar from zero: 1.5 of 2.06
  for (const auto& [top, colour] : {std::pair(68, "#D55E00"), {75, "#0072B2"}})
    EXPECT_THAT(picture, testing::HasSubstr(fmt::format(
                             "x=\"56\" y=\"{}\" width=\"407.77\" height=\"7\" fill=\"{}\"", top, colour)));
  report_test::value(result.cells[0].scores[4]) = 3.5;
  EXPECT_THAT(cause_sentences(result)[0], testing::EndsWith("would cost it another 0.500."));
  EXPECT_THAT(cause_sentences(result).back(), testing::HasSubstr("no shares of a loss"));
}

TEST(Causes, AreSaidAndDrawn) {
  EXPECT_THAT(cause_sentences(with_conditions()),
              testing::ElementsAre(
                  "“rope” loses 2.000 from 1x to 4x. At the training length, unseen positions alone "
                  "cost it 1.500; at the longest, seeing only the last 4 keys would save it 0.250.",
                  "What costs or saves how much was tested one by one: these are no shares of a loss."));
  EXPECT_THAT(
      report_page(with_conditions()),
      testing::HasSubstr("<tr data-row=\"rope\"><th scope=\"row\">rope</th><td>2.000</td><td>1.500</td>"
                         "<td>0.250</td></tr>"));
  EXPECT_THAT(causes_svg(with_conditions()), testing::AllOf(testing::HasSubstr(">rope</text>"),
                                                            testing::HasSubstr(">unseen positions</text>")));
}

}  // namespace
}  // namespace ordinal::experiments
