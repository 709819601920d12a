#include "experiments/report/page_data.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "experiments/report/comparison.h"
#include "tests/experiments/report/sample_result.h"

namespace ordinal::experiments {
namespace {

using testing::HasSubstr;
using testing::Not;

void expect_near(const nlohmann::json& json, double value) {
  if (!std::isfinite(value)) {
    EXPECT_TRUE(json.is_null());
  } else {
    EXPECT_NEAR(json.get<double>(), value, 1e-6 * std::abs(value));
  }
}

void expect_entry(const nlohmann::json& series, std::size_t point, const Entry& entry,
                  const std::vector<std::uint64_t>& seeds) {
  expect_near(series["y"][point], entry.summary.mean);
  if (series.contains("sd")) expect_near(series["sd"][point], entry.summary.sd);
  if (std::isfinite(entry.summary.low)) expect_near(series["low"][point], entry.summary.low);
  if (std::isfinite(entry.summary.high)) expect_near(series["high"][point], entry.summary.high);
  for (std::size_t i = 0; i < entry.seeds.size(); ++i) {
    const auto at = static_cast<std::size_t>(std::ranges::find(seeds, entry.seeds[i]) - seeds.begin());
    expect_near(series["values"][point][at], entry.values[i]);
  }
  EXPECT_EQ(series.contains("not_learned") ? series["not_learned"][point].get<Index>() : 0,
            entry.not_learned);
}

TEST(PageData, HoldsEveryNumberOfTheTables) {
  ExperimentResult gated = report_test::sample_result();
  gated.gate = LearningGate{"bits", 1.25, "at most 1.25 bits"};
  for (const ExperimentResult& result : {report_test::sample_result(), report_test::two_factors(), gated}) {
    const auto data = nlohmann::json::parse(page_data(result));
    EXPECT_EQ(data["lengths"].get<std::vector<Index>>(), result.lengths);
    EXPECT_EQ(data["seeds"].get<std::vector<std::uint64_t>>(), seeds_of(result));
    for (std::size_t m = 0; m < result.metrics.size(); ++m) {
      for (std::size_t k = 0; k < result.conditions.size(); ++k) {
        const Comparison comparison = compare(result, result.metrics[m].id, result.conditions[k]);
        ASSERT_EQ(data["rows"].size(), comparison.rows.size());
        for (std::size_t r = 0; r < comparison.rows.size(); ++r) {
          EXPECT_EQ(data["rows"][r], comparison.rows[r].label);
          const auto& series = data["pictures"]["main"][m][k]["series"][r];
          std::size_t point = 0;
          for (const Entry& entry : comparison.rows[r].entries) {
            SCOPED_TRACE(fmt::format("{} {} {} {}", m, k, r, point));
            if (entry.has_number()) expect_entry(series, point++, entry, seeds_of(result));
          }
          EXPECT_EQ(series["y"].size(), point);
        }
      }
    }
  }
}

TEST(PageData, HoldsBaselinesAndCurves) {
  ExperimentResult result = report_test::sample_result();
  result.references = {
      {"uniform", {report_test::score(4, 1.5, not_a_number), report_test::score(16, 2.5, 1.0)}}};
  const auto data = nlohmann::json::parse(page_data(result));
  const auto& main = data["pictures"]["main"];
  EXPECT_EQ(main[0][0]["references"].dump(), R"([{"name":"uniform","x":[4.0,16.0],"y":[1.5,2.5]}])");
  EXPECT_EQ(main[1][0]["references"].dump(), R"([{"name":"uniform","x":[16.0],"y":[1.0]}])");
  for (const char* name : {"training", "by_position"}) {
    EXPECT_EQ(data["pictures"][name]["series"].size(), 3U);
    EXPECT_GT(data["pictures"][name]["series"][0]["y"].size(), 1U);
  }
}

TEST(PageData, ChartsHoldFourDigitsOfTheLargestNumber) {
  Chart chart;
  chart.x_label = "step";
  chart.series = {{"a", {1.0, 2.0}, {0.123456, 12.34567}, {}, {}},
                  {"b", {1.0, 2.0}, {1.0, not_a_number}, {0.5, 0.25}, {1.5, 2.0}}};
  EXPECT_EQ(numbers(chart)["unit"], 0.01);
  EXPECT_EQ(numbers(chart)["series"].dump(),
            "[{\"name\":\"a\",\"x\":[1.0,2.0],\"y\":[12,1235]},"
            "{\"name\":\"b\",\"y\":[100,null],\"low\":[50,25],\"high\":[150,200]}]");
}

TEST(PageData, ChartsWithPointsHoldSevenDigitsOfEach) {
  Chart chart;
  chart.points = true;
  chart.series = {{"a", {1.0}, {123456.789}}};
  chart.series[0].note = "fails past 1";
  chart.series[0].values = {{0.0123456789, not_a_number}};
  EXPECT_EQ(numbers(chart)["series"].dump(),
            R"([{"name":"a","note":"fails past 1","x":[1.0],"y":[123456.8],"values":[[0.01234568,null]]}])");
}

TEST(PageData, CannotEndTheElementThatItIsIn) {
  ExperimentResult result = report_test::sample_result();
  const std::string bad = "</script><!-- \"quoted\" & 'more' \\";
  report_test::relabel(result, [&](const std::string& label) { return label + bad; });
  const std::string text = page_data(result);
  EXPECT_THAT(text, Not(HasSubstr("<")));
  EXPECT_THAT(text, Not(HasSubstr("&")));
  EXPECT_EQ(nlohmann::json::parse(text)["rows"][0], "sinusoidal" + bad);
}

TEST(PageData, AnExperimentWithoutCellsHasNoRows) {
  ExperimentResult result = report_test::sample_result(0);
  EXPECT_TRUE(nlohmann::json::parse(page_data(result))["rows"].empty());
}

}  // namespace
}  // namespace ordinal::experiments
