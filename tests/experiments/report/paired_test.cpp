// Two results side by side: which rows belong together, and differences by seed.
#include "experiments/report/paired.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/core/part.h"
#include "tests/experiments/report/sample_result.h"

namespace ordinal::experiments {
namespace {

using report_test::sample_result;
using report_test::value;
using ::testing::HasSubstr;

// The sample with every number of one row changed by an amount of its seed.
ExperimentResult changed(const std::string& row, const std::vector<double>& by) {
  ExperimentResult result = sample_result();
  for (CellResult& cell : result.cells) {
    for (LengthScore& score : cell.scores)
      if (cell.row == row && !score.failed) value(score) += by.at(cell.seed - 1);
  }
  return result;
}

void keep(ExperimentResult& result, const std::string& label) {
  std::erase_if(result.rows, [&](const RowInfo& row) { return row.label != label; });
  std::erase_if(result.cells, [&](const CellResult& cell) { return cell.row != label; });
}

PairedTables tables_of(const ExperimentResult& a, const ExperimentResult& b) {
  return paired_tables(a, b, paired_rows(a, b));
}

// The fields of the line of a row and length in CSV, from `condition` on, and in the grid.
std::vector<std::string> fields_of(const PairedTables& tables, const std::string& row, Index length) {
  const std::string start = fmt::format("\n{},{},", row, length);
  const std::size_t at = tables.csv.find(start) + start.size();
  return split_outside_brackets(tables.csv.substr(at, tables.csv.find('\n', at) - at), ',');
}
enum Field { condition, metric, n_a, mean_a, sd_a, n_b, mean_b, sd_b, pairs, difference, low, high };

const std::vector<GridCell>& line_of(const PairedTables& tables, const std::string& row, Index length) {
  return *std::ranges::find_if(tables.grids.front().lines, [&](const auto& line) {
    return line[0].text == row && line[1].text == std::to_string(length);
  });
}

TEST(Paired, DifferencesAreThoseOfEachSeed) {
  const PairedTables tables = tables_of(sample_result(), changed("none", {0.1, 0.2, 0.3}));
  const std::vector<std::string> none = fields_of(tables, "none", 16);
  EXPECT_NEAR(std::stod(none[difference]), 0.2, 1e-12);
  EXPECT_NEAR(std::stod(none[low]), 0.2 - 5.642778 * 0.1 / std::sqrt(3.0), 1e-6) << "t(0.985, 2) sd / √n";
  EXPECT_EQ(none[pairs], "3");
  EXPECT_EQ(line_of(tables, "none", 16)[2].text, "1.133 ± 0.153");
  EXPECT_EQ(line_of(tables, "none", 16)[3].text, "1.333 ± 0.231");
  EXPECT_EQ(fields_of(tables, "sinusoidal", 4)[difference], "0");
}

TEST(Paired, OnlySeedsOfBothCountAndOneHasNoInterval) {
  ExperimentResult b = changed("none", {0.5, 0.5, 0.5});
  std::erase_if(b.cells, [](const CellResult& cell) { return cell.seed != 2; });
  const PairedTables tables = tables_of(sample_result(), b);
  EXPECT_THAT(tables.csv, HasSubstr("none,16,trained,bits,3,1.1333333333333335,"));
  EXPECT_THAT(tables.csv, HasSubstr(",1,1.5,,1,0.5,,\n"));
}

TEST(Paired, RowsMatchByNameUnlessThereIsOnlyOneEach) {
  ExperimentResult a = sample_result();
  ExperimentResult b = sample_result();
  keep(b, "none");
  const auto pairs = paired_rows(a, b);
  ASSERT_EQ(pairs.size(), 1U);
  EXPECT_EQ(pairs.front().label(), "none");
  const Grid rows = rows_grid(a, b, pairs);
  ASSERT_EQ(rows.lines.size(), 3U) << "also those that only one has";
  EXPECT_EQ(rows.lines[0][3].text, "1, 2, 3");
  EXPECT_EQ(rows.lines[1][0].text, "sinusoidal");
  EXPECT_EQ(rows.lines[1][3].text, "–");
  keep(a, "sinusoidal");
  EXPECT_EQ(paired_rows(a, b).front().label(), "sinusoidal / none");
  EXPECT_EQ(rows_grid(a, b, paired_rows(a, b)).lines.size(), 1U);
}

TEST(Paired, LengthsAndConditionsOfOneStandBesideNothing) {
  ExperimentResult b = sample_result();
  b.lengths = {4, 32};
  b.conditions = {"shifted"};
  for (CellResult& cell : b.cells) {
    for (LengthScore& score : cell.scores) {
      score.condition = "shifted";
      if (score.length == 16) score.length = 32;
    }
  }
  const PairedTables tables = tables_of(sample_result(), b);
  EXPECT_EQ(line_of(tables, "none", 16)[3].text, "–");
  EXPECT_EQ(tables.grids[1].lines.back()[2].text, "–");
  EXPECT_EQ(fields_of(tables, "none", 32)[condition], "shifted");
  EXPECT_EQ(fields_of(tables, "none", 32)[pairs], "0");
}

TEST(Paired, SeedsThatDidNotLearnAreCountedAndKept) {
  ExperimentResult a = sample_result();
  a.gate = LearningGate{"bits", 1.05, "few bits"};
  EXPECT_EQ(fields_of(tables_of(a, a), "none", 16)[n_a], "3");
  EXPECT_EQ(rows_grid(a, a, paired_rows(a, a)).lines[2][2].text, "1/3");
}

TEST(Paired, GridsMarkIntervalsWithoutZero) {
  const auto grids = tables_of(sample_result(), changed("none", {0.1, 0.1001, 0.1002})).grids;
  ASSERT_EQ(grids.size(), 2U) << "one for each metric";
  EXPECT_EQ(grids.front().title, "bits per token (lower is better), trained");
  const auto& line = grids.front().lines.at(6);
  EXPECT_EQ(line[0].text, "none");
  EXPECT_EQ(line[4].text, "+0.100");
  EXPECT_EQ(line[4].note, "+0.100 to +0.100");
  EXPECT_TRUE(line[4].best);
  EXPECT_FALSE(grids.front().lines.at(0)[4].best);
  EXPECT_EQ(grids.front().lines.at(4)[2].text, "fails");
}

}  // namespace
}  // namespace ordinal::experiments
