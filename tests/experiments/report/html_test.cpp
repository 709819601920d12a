#include "experiments/report/html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/report/plots.h"
#include "tests/experiments/report/sample_result.h"

namespace ordinal::experiments {
namespace {

using report_test::curves;
using report_test::sample_result;
using report_test::two_factors;
using ::testing::HasSubstr;
using ::testing::Not;

int count(const std::string& text, const std::string& part) {
  int times = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++times;
  return times;
}

TEST(EscapeHtml, EveryMarkThatHasAMeaning) {
  EXPECT_EQ(escape_html("<a href=\"x\">'&amp;'</a>"),
            "&lt;a href=&quot;x&quot;&gt;&#39;&amp;amp;&#39;&lt;/a&gt;");
  EXPECT_EQ(escape_html("± plain"), "± plain");
  EXPECT_EQ(escape_html("a\033b\n\tc"), "a\\x1bb\n\tc") << "which no SVG may hold";
}

TEST(ReportPage, NoTextFromOutsideBecomesMarkup) {
  ExperimentResult result = sample_result();
  const std::string bad = "<script>alert('x')</script>";
  result.name = result.question = result.task = result.settings = result.command = bad;
  result.metrics[0].name = bad;
  result.references = report_test::baseline(bad, {report_test::score(4, 1.0, 1.0)});
  report_test::gate(result, 100.0, bad);
  result.manifest = {{bad, bad}};
  report_test::relabel(result, [&](const std::string& label) { return label + bad; });
  for (RowInfo& row : result.rows) row.factors.emplace_back(bad, row.notes.emplace_back(bad));
  result.conditions.push_back(bad);
  for (CellResult& cell : result.cells) {
    cell.note = bad;
    for (Score& score : cell.scores) score.why = bad + "\"";
  }
  Chart chart;
  chart.x_label = bad;
  const std::string page =
      report_page(result, {{bad, bad, bad, "", {{"row", bad + "\" onclick=\""}}}, {bad, bad, chart}});
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(page, Not(HasSubstr("\" onclick=")));
  EXPECT_EQ(count(page, "<script"), 1);
  EXPECT_EQ(count(page, "</script"), 1);
}

TEST(ReportPage, HoldsTheComparisonWithIntervalsAndFailures) {
  const std::string page = report_page(sample_result(6));
  EXPECT_THAT(page,
              HasSubstr("<h1 class=\"question\">Does &lt;b&gt; &amp; &quot;it&quot; extrapolate?</h1>"));
  EXPECT_THAT(page,
              HasSubstr(">3.285 <span>± 0.206</span><small class=\"detail\">3.010 to 3.560</small></td>"));
  EXPECT_THAT(page, HasSubstr("<td class=\"none\" title=\"sequence length 8"));
  EXPECT_THAT(page, HasSubstr("<td class=\"best\">1.133 <span>± 0.137"));
  EXPECT_THAT(page, HasSubstr("past the training length, up to it at all positions (lower is better)"));
  EXPECT_THAT(page, HasSubstr("name = copy"));
  EXPECT_THAT(page, HasSubstr("GCC &lt;12&gt;"));
  EXPECT_THAT(page, HasSubstr("./experiments/run results/extrapolation/resolved.cfg"));
  ExperimentResult gated = sample_result();
  report_test::gate(gated, 1.05, "at most 1.05 bits");
  EXPECT_THAT(report_page(gated), HasSubstr("<tr class=\"unranked\" data-row=\"none\">"));
}

TEST(ReportPage, OpensWithASentenceForEachHeadlineAndHasAllPairsBelow) {
  ExperimentResult result = sample_result(7);
  for (MetricSpec& metric : result.metrics) metric.headline = true;
  const std::string page = report_page(result);
  EXPECT_EQ(count(page, "<p class=\"answer\">In bits per token"), 2);
  EXPECT_THAT(page,
              HasSubstr("<details open><summary>2 of 2 pairs decided</summary>\n<div class=\"pairs\">"));
  EXPECT_EQ(count(page, "pairs at length 16 (4x)</caption>"), 2);
  EXPECT_THAT(report_page(sample_result(3)), HasSubstr("<summary>0 of 1 pair decided</summary>"));
  EXPECT_THAT(report_page(two_factors(9)), HasSubstr("<details open><summary>6 of 6 pairs decided"));
  ExperimentResult many = sample_result(0);
  many.rows.clear();
  for (int row = 0; row < 9; ++row) {
    many.rows.push_back({std::to_string(row), {}, {}});
    many.cells.push_back(report_test::cell(std::to_string(row), 1, {report_test::score(16, row)}));
  }
  EXPECT_THAT(report_page(many), HasSubstr("<details><summary>0 of 36 pairs decided")) << "too many to show";
}

TEST(ReportPage, HasATablePerLengthForTwoFactorsAndForConditions) {
  const std::string page = report_page(two_factors());
  EXPECT_THAT(
      page,
      HasSubstr("<th scope=\"col\" class=\"name\">encoding</th><th scope=\"col\" class=\"name\">d_model</th>"
                "<th scope=\"col\" class=\"detail\">parameters</th>"));
  EXPECT_THAT(
      page,
      HasSubstr("<tr data-row=\"alibi, d_model = 128\"><th scope=\"row\">alibi</th><th scope=\"row\">128</th>"
                "<td class=\"detail\">12,345</td>"));
  EXPECT_THAT(page, HasSubstr("<div class=\"choose\">\n<div data-table=\"Length 4 (1x), encoding by d_model: "
                              "bits per token\"><div class=\"scroll\"><table>\n<caption>Length 4 (1x), "
                              "encoding by d_model: bits per token</caption>"))
      << "page.js shows the first";
  EXPECT_THAT(report_page(two_factors(8)),
              HasSubstr("<caption>Length 8 (2x), encoding by d_model: bits per token; bold: the best row and "
                        "all that it is not decided to be ahead of</caption>"));
  EXPECT_THAT(page, HasSubstr("<caption>bits per token under each condition"));
  EXPECT_THAT(page, HasSubstr("<td class=\"none\">–</td>")) << "where a condition has no score";
}

TEST(ReportPage, HasOneTableForAllBands) {
  ExperimentResult result = sample_result();
  result.metrics[1].band_of = "bits";
  result.metrics[1].band = "1x to 2x";
  const std::string page = report_page(result);
  EXPECT_EQ(count(page, "by the distance of the source</caption>"), 1);
  EXPECT_EQ(count(page, "<div data-table="), 1) << "not one for each";
  EXPECT_EQ(count(page, "<figure data-curve="), 0);
}

TEST(ReportPage, WithoutJavaScriptEverythingIsVisible) {
  const std::string page = report_page(two_factors());
  const std::size_t body = page.find("<body>");
  EXPECT_THAT(page.substr(body, page.find("<script>") - body), Not(HasSubstr(" hidden")));
  EXPECT_THAT(page, Not(HasSubstr("<noscript")));
}

Heatmap attention_map() {
  return heatmap(Tensor<double>({2, 2}).view(), {.x_label = "key", .palette = Palette::sequential});
}

TEST(ReportPage, HoldsItsPictures) {
  const ExperimentResult result = sample_result();
  const std::string page = report_page(
      result, {{"A text", "", "1 < 2"},
               {"attention", "of <one> example", attention_map(), "", {{"row", "none"}, {"layer", "2"}}}});
  for (const Chart& chart : {curves(result), training_curves(result), position_curves(result)})
    EXPECT_THAT(page, HasSubstr("<figure>\n" + inside_page(chart) + "<figcaption>"));
  EXPECT_THAT(page, HasSubstr("<figure data-row=\"none\" data-layer=\"2\">\n" + inside_page(attention_map()) +
                              "<figcaption><b>attention</b> of &lt;one&gt; example</figcaption>"));
  EXPECT_THAT(page, HasSubstr("<pre>1 &lt; 2</pre>"));
}

TEST(ReportPage, HasACurveOfEachOtherMetricAndOfTheHeadlineUnderEachOtherCondition) {
  const ExperimentResult result = two_factors();
  const std::string page = report_page(result);
  EXPECT_EQ(count(page, "<figure data-curve="), 2);
  EXPECT_THAT(page, HasSubstr("<figure data-curve=\"bits per token past the training length\">\n" +
                              inside_page(curves(result, 1))));
  EXPECT_THAT(page, HasSubstr("<figure data-curve=\"bits per token, under window(size=4)\">\n" +
                              inside_page(curves(result, 0, 1))));
}

TEST(ReportPage, LoadsNothingFromTheNetwork) {
  const std::string page = report_page(sample_result());
  for (const char* loader : {"src=", "<link", "@import", "<iframe", "<object", "fetch(", "import(", "url("})
    EXPECT_THAT(page, Not(HasSubstr(loader)));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
}

}  // namespace
}  // namespace ordinal::experiments
