#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "experiments/report/html.h"
#include "tests/experiments/report/sample_result.h"

namespace ordinal::experiments {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Within half a unit of the last decimal that a table shows, or of three digits.
void expect_near(const nlohmann::json& json, double value, double unit, double mean) {
  if (!std::isfinite(value)) {
    EXPECT_TRUE(json.is_null());
  } else {
    EXPECT_NEAR(json.get<double>() * unit, value, 0.5001 * std::pow(10.0, -shown_decimals(mean)));
  }
}

void expect_entry(const nlohmann::json& numbers, const Entry& entry, double unit,
                  const std::vector<std::uint64_t>& seeds) {
  const Summary& s = entry.summary;
  std::vector<double> expected = {s.mean, s.sd, s.low, s.high};
  for (const std::uint64_t seed : seeds) {
    const auto at = std::ranges::find(entry.seeds, seed) - entry.seeds.begin();
    expected.push_back(at < std::ssize(entry.seeds) ? entry.values[static_cast<std::size_t>(at)]
                                                    : not_a_number);
  }
  ASSERT_EQ(numbers.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) expect_near(numbers[i], expected[i], unit, s.mean);
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
        const auto& scores = data["metrics"][m]["scores"][k];
        ASSERT_EQ(data["rows"].size(), comparison.rows.size());
        for (std::size_t r = 0; r < comparison.rows.size(); ++r) {
          const ComparisonRow& row = comparison.rows[r];
          EXPECT_EQ(data["rows"][r]["name"], row.label);
          EXPECT_EQ(data["rows"][r]["ranked"], row.learned());
          EXPECT_EQ(data["rows"][r]["not_learned"], row.not_learned);
          ASSERT_EQ(scores["rows"][r].size(), row.entries.size());
          for (std::size_t c = 0; c < row.entries.size(); ++c) {
            SCOPED_TRACE(fmt::format("{} {} {} {}", m, k, r, c));
            const auto& numbers = scores["rows"][r][c];
            if (row.entries[c].has_number())
              expect_entry(numbers, row.entries[c], scores["unit"], seeds_of(result));
            else
              EXPECT_EQ(numbers, cell_text(row, c, comparison.seeds));
            const auto& best = scores["best"][c];
            EXPECT_EQ(std::find(best.begin(), best.end(), r) != best.end(),
                      score_column(comparison, c)[r].best);
          }
        }
      }
    }
  }
}

TEST(PageData, KeepsThreeDigitsOfSmallNumbersAndThoseOfTheTablesOfLargeOnes) {
  ExperimentResult result = report_test::sample_result(1);
  report_test::value(result.cells[0].scores[0]) = 0.000123456;
  report_test::value(result.cells[0].scores[1]) = 1234.56;
  const auto scores = nlohmann::json::parse(page_data(result))["metrics"][0]["scores"][0];
  EXPECT_EQ(scores["unit"], 1e-6);
  EXPECT_EQ(scores["rows"][0][0].dump(), "[123,null,null,null,123]");
  EXPECT_EQ(scores["rows"][0][1].dump(), "[1235000000,null,null,null,1235000000]");
}

TEST(PageData, HoldsWhichRowsFailAndTheTitlesOfTables) {
  const auto data = nlohmann::json::parse(page_data(report_test::sample_result()));
  EXPECT_EQ(data["metrics"][0]["scores"][0]["rows"][1][1], "fails");
  EXPECT_EQ(data["metrics"][0]["scores"][0]["notes"]["learned"], "fails past 4");
  EXPECT_THAT(
      data["metrics"][1]["title"].get<std::string>(),
      HasSubstr("bits per token past the training length, up to it at all positions (lower is better)"));
  const auto several = nlohmann::json::parse(page_data(report_test::two_factors()));
  EXPECT_EQ(several["titles"][1], "Length 8 (2x), under each condition: bits per token");
}

TEST(PageData, HoldsBaselinesAndCurves) {
  ExperimentResult result = report_test::sample_result();
  result.references = {
      {"uniform", {report_test::score(4, 1.5, not_a_number), report_test::score(16, 2.5, 1.0)}}};
  const auto data = nlohmann::json::parse(page_data(result));
  EXPECT_EQ(data["metrics"][0]["references"].dump(), R"([{"name":"uniform","values":[1.5,null,2.5]}])");
  EXPECT_EQ(data["metrics"][1]["references"].dump(), R"([{"name":"uniform","values":[null,null,1.0]}])");
  for (const char* name : {"training", "by_position"}) {
    EXPECT_EQ(data["pictures"][name]["series"].size(), 3U);
    const auto& line = data["pictures"][name]["series"][0];
    EXPECT_GT(line["y"].size(), 1U);
    EXPECT_EQ(data["x"][line["x"].get<std::size_t>()].size(), line["y"].size());
  }
}

TEST(PageData, ChartsHoldFourDigitsOfTheLargestNumber) {
  Chart chart;
  chart.x_label = "step";
  chart.series = {{"a", {1.0, 2.5}, {0.123456, 12.34567}, {}, {}},
                  {"b", {1.0, 2.5}, {1.0, not_a_number}, {0.5, 0.25}, {1.5, 2.0}}};
  EXPECT_EQ(numbers(chart)["unit"], 0.01);
  EXPECT_EQ(numbers(chart)["series"].dump(),
            "[{\"name\":\"a\",\"x\":[1,2.5],\"y\":[12,1235]},"
            "{\"name\":\"b\",\"y\":[100,null],\"low\":[50,25],\"high\":[150,200]}]");
}

TEST(PageData, CannotEndTheElementThatItIsIn) {
  ExperimentResult result = report_test::sample_result();
  const std::string bad = "</script><!-- \"quoted\" & 'more' \\";
  report_test::relabel(result, [&](const std::string& label) { return label + bad; });
  const std::string text = page_data(result);
  EXPECT_THAT(text, Not(HasSubstr("<")));
  EXPECT_THAT(text, Not(HasSubstr("&")));
  EXPECT_EQ(nlohmann::json::parse(text)["rows"][0]["name"], "sinusoidal" + bad);
}

TEST(PageData, AnExperimentWithoutCellsHasNoRows) {
  ExperimentResult result = report_test::sample_result(0);
  EXPECT_TRUE(nlohmann::json::parse(page_data(result))["rows"].empty());
}

}  // namespace
}  // namespace ordinal::experiments
