#include "experiments/report/plots.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <regex>
#include <tuple>
#include <utility>

#include "experiments/report/html.h"
#include "tests/experiments/report/sample_result.h"

namespace ordinal::experiments {
namespace {

using report_test::baseline;
using report_test::curves;
using report_test::mixed_training;
using report_test::sample_result;
using report_test::score;
using report_test::two_factors;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(LengthCurves, MeanAndRangeOverSeeds) {
  const Chart chart = curves(sample_result());
  ASSERT_EQ(chart.series.size(), 3U);
  EXPECT_THAT(chart.series[0].x, ElementsAre(4.0, 8.0, 16.0));
  EXPECT_NEAR(chart.series[0].y[2], 3.12, 1e-12);
  EXPECT_NEAR(chart.series[0].low[2], 3.01, 1e-12);
  EXPECT_NEAR(chart.series[0].high[2], 3.23, 1e-12);
  EXPECT_EQ(chart.training_length, 4.0);
}

TEST(LengthCurves, AFailureEndsTheLineAndIsNamedInTheLegend) {
  const Chart chart = curves(sample_result());
  EXPECT_THAT(chart.series[1].x, ElementsAre(4.0));
  EXPECT_EQ(chart.series[1].note, "fails past 4");
  EXPECT_THAT(svg(chart), HasSubstr(">learned (fails past 4)</text>"));
}

TEST(LengthCurves, HaveBandsForTwoSeedsAndUpToSevenRows) {
  const char* const band = "opacity=";  // of no other element
  EXPECT_THAT(svg(curves(sample_result(1))), AllOf(HasSubstr("; one seed"), Not(HasSubstr(band))));
  Chart chart = curves(sample_result(2));
  chart.series.resize(7, chart.series.front());
  EXPECT_THAT(svg(chart), HasSubstr(band));
  chart.series.push_back(chart.series.front());
  EXPECT_THAT(svg(chart), Not(HasSubstr(band)));
}

TEST(LengthCurves, ShowTheFirstCondition) {
  ExperimentResult result = two_factors();
  EXPECT_NEAR(curves(result).series[0].y.back(), 2.05, 1e-12);
  EXPECT_NEAR(position_curves(result).series[0].y.front(), 3.05, 1e-12);
  std::swap(result.conditions[0], result.conditions[1]);
  EXPECT_THAT(curves(result).series[0].x, ElementsAre(8.0));
  EXPECT_THAT(curves(result).title, HasSubstr("under window(size=4)"));
  EXPECT_NEAR(position_curves(result).series[0].y.front(), 12.05, 1e-12);
}

TEST(LengthCurves, HavePointsWhereTheConditionIsTested) {
  ExperimentResult result = two_factors();
  for (CellResult& cell : result.cells)
    for (Score& score : cell.scores)
      score.failed = score.condition == "window(size=4)" && cell.row == "rope, d_model = 64";
  EXPECT_EQ(curves(result, 0, 1).series[0].note, "fails past 4");
  result.limited = {{"window(size=4)", {8}}};
  EXPECT_EQ(curves(result, 0, 1).series[0].note, "fails");
}

TEST(LengthCurves, WithoutOneTrainingLengthMarkNone) {
  const Chart chart = curves(mixed_training());
  EXPECT_FALSE(chart.training_length.has_value());
  EXPECT_FALSE(position_curves(mixed_training()).training_length.has_value());
  EXPECT_EQ(chart.x_ticks[1].text, "8") << "and not its multiple";
  EXPECT_THAT(svg(chart), Not(HasSubstr("past the training length")));
}

TEST(ChartSvg, MarksATrainingLengthBelowAllPointsWhereItIs) {
  ExperimentResult result = sample_result();
  for (CellResult& cell : result.cells)
    std::erase_if(cell.scores, [](const Score& s) { return s.length == 4; });
  const std::string picture = svg(curves(result));
  EXPECT_THAT(picture, HasSubstr("<path d=\"M104 76L104 398\""));  // the line: at the left of the axis
  EXPECT_THAT(picture, HasSubstr("<circle cx=\"372\""));           // length 8, between 4 and 16
}

TEST(ChartSvg, ShowsAsManyTicksOnItsAxisAsFit) {
  Chart chart = curves(sample_result());
  chart.x_ticks.assign({{2.0, "below"}, {99.0, "above"}});
  for (double at = 4.0; at <= 16.0; at += 0.1) chart.x_ticks.push_back({at, "tick"});
  const std::string picture = svg(chart);
  const std::regex tick(">tick</text>");
  const auto ticks = std::distance(std::sregex_iterator(picture.begin(), picture.end(), tick), {});
  EXPECT_GE(ticks, 8);
  EXPECT_LE(ticks, 11);
  EXPECT_THAT(picture, AllOf(Not(HasSubstr(">below</text>")), Not(HasSubstr(">above</text>"))));
}

TEST(ChartSvg, LabelsOnItsAxisDoNotOverlapAndTheLastHasOne) {
  Chart chart = curves(sample_result());
  chart.x_ticks = {{4.0, "384 (1x)"}, {5.333, "512 (1.333x)"}, {6.667, "640 (1.667x)"},
                   {8.0, "768 (2x)"}, {15.5, "1488 (3.875x)"}, {16.0, "1536 (4x)"}};
  const std::string picture = svg(chart);
  const std::regex label("<text x=\"([0-9.]+)\"[^>]*text-anchor=\"middle\"[^>]*>([0-9]+ .[0-9.]+x.)</text>");
  double end = INFINITY;
  std::string labels;
  for (std::sregex_iterator at(picture.begin(), picture.end(), label); at != std::sregex_iterator(); ++at) {
    labels = (*at)[2].str() + " " + labels;
    const double half = 3.5 * static_cast<double>((*at)[2].length());
    EXPECT_LT(std::stod((*at)[1]) + half, end) << (*at)[2];
    end = std::stod((*at)[1]) - half;
  }
  EXPECT_THAT(labels, AllOf(::testing::StartsWith("384 (1x) "), ::testing::EndsWith(" 1536 (4x) ")));
}

TEST(LengthCurves, AReferenceFarAwayDoesNotPressTheLinesFlat) {
  ExperimentResult result = sample_result();
  result.references = baseline("4-gram", {score(4, 3.5, 3.5), score(16, 3.6, 3.6)});
  for (const Score& score : baseline("oracle", {score(4, 50.0, 50.0)})) result.references.push_back(score);
  const Chart chart = curves(result);
  EXPECT_THAT(chart.references[0].y, ElementsAre(3.5, 3.6));
  EXPECT_THAT(svg(chart), AllOf(HasSubstr("4-gram"), Not(HasSubstr("oracle"))));
}

std::vector<std::string> names(const std::vector<Series>& lines) {
  std::vector<std::string> all;
  for (const Series& line : lines) all.push_back(line.name);
  return all;
}

TEST(LengthCurves, HaveTheBestReaderThatIgnoresWhereAnswersStandAndTheOracle) {
  ExperimentResult result = sample_result();
  for (const auto& [reader, near, far] :
       {std::tuple("unigram", 1.0, 2.5), {"4-gram", 2.0, 1.5}, {"last 4", 0.5, 0.5}, {"oracle", 0.1, 0.1}})
    for (const Score& one : baseline(reader, {score(4, near), score(16, far)}))
      result.references.push_back(one);
  EXPECT_THAT(names(curves(result).references), ElementsAre("4-gram", "oracle")) << "at 16, not at 4";
  EXPECT_EQ(readers_of(result, result.metrics[0]).size(), 4U) << "and the table has all";
}

TEST(LengthCurves, HaveTheReadersOfEachTask) {
  ExperimentResult result = sample_result();
  result.rows[0].task = "sort";
  result.rows[1].task = result.rows[2].task = "copy";
  for (const char* reader : {"unigram of sort", "4-gram of copy", "oracle of sort", "oracle of copy"})
    for (const Score& one : baseline(reader, {score(16, 2.0)})) result.references.push_back(one);
  EXPECT_THAT(names(curves(result).references),
              ElementsAre("unigram of sort", "4-gram of copy", "oracle of sort", "oracle of copy"));
}

TEST(LengthCurves, ARowThatDidNotLearnSaysSo) {
  ExperimentResult result = sample_result();
  report_test::gate(result, 1.05, "bits per token of at most 1.05");
  const Chart chart = curves(result);
  EXPECT_EQ(chart.series[0].note, "not learned");
  EXPECT_THAT(chart.series[0].x, ElementsAre(4.0, 8.0, 16.0));
}

TEST(PositionCurves, ShowTheLongestLengthThatEachRowRunsAt) {
  const Chart chart = position_curves(sample_result());
  EXPECT_EQ(chart.series[0].name, "sinusoidal");
  EXPECT_EQ(chart.series[0].x.back(), 16.0);
  EXPECT_EQ(chart.series[0].note, "");
  EXPECT_EQ(chart.series[1].note, "at 4");
  EXPECT_EQ(chart.series[1].x.back(), 4.0);
  EXPECT_NEAR(chart.series[0].y.front(), 3.12 + 1.0, 1e-12);
}

TEST(PositionCurves, LongSequencesAreBinned) {
  ExperimentResult result = sample_result(1);
  result.cells[0].by_position[2].bits.assign(65536, 1.0);
  const Chart chart = position_curves(result);
  EXPECT_LT(chart.series[0].x.size(), 200U);
  for (const double y : chart.series[0].y) EXPECT_DOUBLE_EQ(y, 1.0);
}

TEST(TrainingCurves, AreBinnedAndLeaveOutWhatIsNotFinite) {
  ExperimentResult result = sample_result();
  result.cells[0].training_curve.clear();
  for (Index step = 0; step < 10000; ++step)
    result.cells[0].training_curve.emplace_back(step, step == 3 ? not_a_number : 2.0);
  const Chart chart = training_curves(result);
  EXPECT_LE(chart.series[0].x.size(), 121U);
  EXPECT_EQ(chart.series[0].high.back(), 2.0);
}

TEST(ChartSvg, NamesEveryRowAndTheAxes) {
  for (const Chart& chart :
       {curves(sample_result()), position_curves(sample_result()), training_curves(sample_result())})
    for (const char* name : {"sinusoidal", "learned", "none", chart.x_label.c_str(), chart.y_label.c_str()})
      EXPECT_THAT(svg(chart), HasSubstr(std::string(">") + name)) << chart.title;
  EXPECT_THAT(svg(curves(sample_result())), HasSubstr("viewBox=\"0 0 900 "));
}

TEST(ChartSvg, OneLengthOneSeedAndEqualValuesStillDraw) {
  ExperimentResult result = sample_result(1);
  result.lengths = {4};
  EXPECT_THAT(svg(curves(result)), HasSubstr("none"));
  result.lengths = {8, 16};
  EXPECT_THAT(svg(curves(result)), HasSubstr("learned (fails)"));
}

TEST(ChartSvg, TwentyRowsWithLongNamesAllStandInTheLegend) {
  ExperimentResult result = sample_result();
  result.rows.clear();
  result.cells.clear();
  for (int row = 10; row < 30; ++row) {
    const std::string label = "rope(base=10000)_{x}'s, learning_rate = 0.0" + std::to_string(row);
    result.rows.push_back({label, {}, {}});
    result.cells.push_back(report_test::cell(label, 1, {score(4, row), score(8, row, row)}));
  }
  const std::string picture = svg(curves(result));
  for (const RowInfo& row : result.rows) EXPECT_THAT(picture, HasSubstr(escape_html(row.label)));
  EXPECT_THAT(picture, Not(HasSubstr("viewBox=\"0 0 900 "))) << "the picture is widened for the names";
}

/// Of each line with that name: "#004a95" and "7 4" for the attributes stroke and stroke-dasharray.
std::string attribute(const Chart& chart, const std::string& name, const std::string& of) {
  const std::string picture = svg(chart);
  std::smatch found;
  std::regex_search(
      picture, found,
      std::regex("data-row=\"" + name + "\">[^g]*?(<path [^>]*fill=\"none\")[^>]* " + of + "=\"([^\"]*)"));
  return found[2];
}

Chart chart_of(const std::vector<std::string>& rows) {
  Chart chart;
  for (const std::string& row : rows) chart.series.push_back({.name = row, .x = {1.0, 2.0}, .y = {1.0, 2.0}});
  return chart;
}

TEST(ChartSvg, DrawsReadersWithDifferentDashes) {
  Chart chart = chart_of({"rope"});
  chart.references = chart_of({"weak", "oracle"}).series;
  const std::string of_oracle = attribute(chart, "oracle", "stroke-dasharray");
  EXPECT_NE(attribute(chart, "weak", "stroke-dasharray"), of_oracle);
  chart.references[0].y = {99.0, 99.0};  // so far away that it is not drawn
  EXPECT_EQ(attribute(chart, "oracle", "stroke-dasharray"), of_oracle);
}

TEST(ChartSvg, DrawsNoneInBlackWhereverItStands) {
  const std::string black = attribute(chart_of({"none"}), "none", "stroke");
  EXPECT_EQ(attribute(chart_of({"rope", "none", "alibi"}), "none", "stroke"), black);
  for (const char* row : {"rope", "alibi"})
    EXPECT_EQ(attribute(chart_of({"rope", "none", "alibi"}), row, "stroke"),
              attribute(chart_of({"rope", "alibi"}), row, "stroke"))
        << "it moves no other colour";
}

using Colour = std::array<double, 3>;

Colour times(const std::array<Colour, 3>& matrix, const Colour& colour) {
  Colour product{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) product[i] += matrix[i][j] * colour[j];
  return product;
}

/// CIELAB of a colour "#004a95" as seen through `eye`, a matrix for linear RGB.
Colour lab(const std::string& text, const std::array<Colour, 3>& eye) {
  Colour linear{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double value = std::stoi(text.substr(1 + 2 * i, 2), nullptr, 16) / 255.0;
    linear[i] = value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  }
  Colour seen = times(eye, linear);
  for (double& value : seen) value = std::clamp(value, 0.0, 1.0);
  Colour xyz = times({{{0.4124, 0.3576, 0.1805}, {0.2126, 0.7152, 0.0722}, {0.0193, 0.1192, 0.9505}}}, seen);
  const Colour white = {0.9505, 1.0, 1.089};
  for (std::size_t i = 0; i < 3; ++i) {
    const double share = xyz[i] / white[i];
    xyz[i] = share > 0.008856 ? std::cbrt(share) : 7.787 * share + 16.0 / 116.0;
  }
  return {116.0 * xyz[1] - 16.0, 500.0 * (xyz[0] - xyz[1]), 200.0 * (xyz[1] - xyz[2])};
}

// Machado, Oliveira and Fernandes 2009, at full severity.
TEST(ChartSvg, LinesDifferInColourAlsoForColourBlindReaders) {
  const std::vector<std::string> rows = {"sinusoidal", "learned", "rope", "alibi", "t5", "fire", "none"};
  const Chart chart = chart_of(rows);
  const std::array<Colour, 3> usual = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  const std::array<Colour, 3> red_blind = {
      {{0.152, 1.053, -0.205}, {0.115, 0.786, 0.099}, {-0.004, -0.048, 1.052}}};
  const std::array<Colour, 3> green_blind = {
      {{0.367, 0.861, -0.228}, {0.280, 0.673, 0.047}, {-0.012, 0.043, 0.969}}};
  for (const auto& [eye, least] : {std::pair(usual, 35.0), {red_blind, 25.0}, {green_blind, 25.0}}) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const Colour one = lab(attribute(chart, rows[i], "stroke"), eye);
        const Colour other = lab(attribute(chart, rows[j], "stroke"), eye);
        EXPECT_GT(std::hypot(one[0] - other[0], one[1] - other[1], one[2] - other[2]), least)
            << rows[i] << " and " << rows[j];
      }
    }
  }
}

TEST(ChartSvg, WithoutDataIsEmpty) {
  EXPECT_EQ(svg(curves(sample_result(0))), "");
  EXPECT_EQ(inside_page(curves(sample_result(0))), "");
}

TEST(ChartSvg, LabelsThatAreTurnedFitIntoThePicture) {
  Chart chart = curves(sample_result());
  chart.x_ticks.clear();
  for (const double at : {4.0, 5.0, 6.0, 7.0, 9.0, 11.0, 13.0, 16.0})
    chart.x_ticks.push_back({at, "1024 (32x)"});
  EXPECT_THAT(svg(chart), AllOf(HasSubstr("rotate(45"), HasSubstr("viewBox=\"0 0 900 513\"")));
}

TEST(ChartOnAPage, IsThePlotWithAListAsLegend) {
  const Chart chart = curves(sample_result());
  const std::string part = inside_page(chart);
  const auto list = [&] { return part.substr(part.find("<ul")); };
  EXPECT_THAT(part.substr(0, part.find("<ul")),
              AllOf(HasSubstr("<g data-row=\"learned\">"), Not(HasSubstr(">learned (fails"))));
  EXPECT_THAT(list(), AllOf(HasSubstr("<li data-row=\"learned\">"),
                            HasSubstr("</svg> learned (fails past 4)</li>"), HasSubstr(chart.subtitle)));
}

TEST(LengthCurves, OfAnotherMetricAndConditionAreNamedAfterBoth) {
  ExperimentResult result = two_factors();
  result.references = baseline("uniform", {score(8, 3.5, 3.5)});
  const Chart chart = curves(result, 1, 1);
  EXPECT_EQ(chart.title, "bits per token past the training length, under window(size=4)");
  EXPECT_EQ(chart.y_label, "bits per token");
  EXPECT_NEAR(chart.series[0].y.back(), 11.05, 1e-12);
  EXPECT_TRUE(chart.references.empty()) << "baselines were scored without it";
  EXPECT_EQ(curves(result, 1).references.size(), 1U);
}

}  // namespace
}  // namespace ordinal::experiments
