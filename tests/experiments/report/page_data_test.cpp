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

/// That the JSON holds a number, or leaves it out where there is none.
void expect_number(const nlohmann::json& json, const char* name, double value) {
  if (!std::isfinite(value)) {
    EXPECT_FALSE(json.contains(name));
  } else {
    ASSERT_TRUE(json.contains(name));
    EXPECT_NEAR(json[name].get<double>(), value, 1e-6 * std::abs(value));
  }
}

void expect_entry(const nlohmann::json& json, const Entry& entry, const std::vector<std::uint64_t>& seeds) {
  expect_number(json, "mean", entry.summary.mean);
  expect_number(json, "sd", entry.summary.sd);
  expect_number(json, "low", entry.summary.low);
  expect_number(json, "high", entry.summary.high);
  for (std::size_t i = 0; i < entry.seeds.size(); ++i) {
    const auto at = static_cast<std::size_t>(std::ranges::find(seeds, entry.seeds[i]) - seeds.begin());
    EXPECT_NEAR(json["values"][at].get<double>(), entry.values[i], 1e-6);
  }
  EXPECT_EQ(json.value("failed", Index{0}), entry.failed);
  EXPECT_EQ(json.value("diverged", Index{0}), entry.diverged);
  EXPECT_EQ(json.value("not_learned", Index{0}), entry.not_learned);
}

TEST(PageData, HoldsEveryNumberOfTheTables) {
  for (const ExperimentResult& result : {report_test::sample_result(), report_test::two_factors()}) {
    const auto data = nlohmann::json::parse(page_data(result));
    EXPECT_EQ(data["lengths"].get<std::vector<Index>>(), result.lengths);
    EXPECT_EQ(data["seeds"].get<std::vector<std::uint64_t>>(), seeds_of(result));
    for (std::size_t m = 0; m < result.metrics.size(); ++m) {
      for (std::size_t k = 0; k < result.conditions.size(); ++k) {
        const Comparison comparison = compare(result, result.metrics[m].id, result.conditions[k]);
        ASSERT_EQ(data["rows"].size(), comparison.rows.size());
        for (std::size_t r = 0; r < comparison.rows.size(); ++r) {
          EXPECT_EQ(data["rows"][r]["label"], comparison.rows[r].label);
          for (std::size_t l = 0; l < result.lengths.size(); ++l) {
            SCOPED_TRACE(fmt::format("{} {} {} {}", m, k, r, l));
            expect_entry(data["rows"][r]["scores"][m][k][l], comparison.rows[r].entries[l], seeds_of(result));
          }
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
  EXPECT_EQ(data["references"][0]["scores"].dump(), "[[1.5,null,2.5],[null,null,1.0]]");
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
  const auto json = numbers(chart);
  EXPECT_EQ(json["unit"], 0.01);
  EXPECT_EQ(json["series"].dump(),
            "[{\"name\":\"a\",\"x\":[1.0,2.0],\"y\":[12,1235]},"
            "{\"name\":\"b\",\"y\":[100,null],\"low\":[50,25],\"high\":[150,200]}]");
}

TEST(PageData, CannotEndTheElementThatItIsIn) {
  ExperimentResult result = report_test::sample_result();
  const std::string bad = "</script><!-- \"quoted\" & 'more' \\";
  report_test::relabel(result, [&](const std::string& label) { return label + bad; });
  const std::string text = page_data(result);
  EXPECT_THAT(text, Not(HasSubstr("<")));
  EXPECT_THAT(text, Not(HasSubstr("&")));
  EXPECT_EQ(nlohmann::json::parse(text)["rows"][0]["label"], "sinusoidal" + bad);
}

TEST(PageData, AnExperimentWithoutCellsHasNoRows) {
  ExperimentResult result = report_test::sample_result(0);
  EXPECT_TRUE(nlohmann::json::parse(page_data(result))["rows"].empty());
}

}  // namespace
}  // namespace ordinal::experiments
