// Two results side by side: which rows belong together, and differences by seed.
#include "experiments/report/paired.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/experiments/report/sample_result.h"

namespace ordinal::experiments {
namespace {

using report_test::sample_result;
using report_test::value;
using ::testing::HasSubstr;
using ::testing::Not;

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

std::vector<PairedNumber> numbers_of(const ExperimentResult& a, const ExperimentResult& b) {
  return paired_numbers(a, b, paired_rows(a, b));
}

const PairedNumber& number_of(const std::vector<PairedNumber>& numbers, const std::string& row,
                              Index length) {
  return *std::ranges::find_if(numbers, [&](const PairedNumber& one) {
    return one.row == row && one.length == length && one.metric.id == "bits";
  });
}

TEST(Paired, DifferencesAreThoseOfEachSeed) {
  const auto numbers = numbers_of(sample_result(), changed("none", {0.1, 0.2, 0.3}));
  const PairedNumber& none = number_of(numbers, "none", 16);
  EXPECT_NEAR(none.difference.effect, 0.2, 1e-12);
  EXPECT_NEAR(none.difference.low, 0.2 - 5.642778 * 0.1 / std::sqrt(3.0), 1e-6) << "t(0.985, 2) sd / √n";
  EXPECT_EQ(none.difference.n, 3);
  EXPECT_EQ(none.first_text, "1.133 ± 0.153");
  EXPECT_EQ(none.second_text, "1.333 ± 0.231");
  EXPECT_EQ(number_of(numbers, "sinusoidal", 4).difference.effect, 0.0);
}

TEST(Paired, OnlySeedsOfBothCountAndOneHasNoInterval) {
  ExperimentResult b = changed("none", {0.5, 0.5, 0.5});
  std::erase_if(b.cells, [](const CellResult& cell) { return cell.seed != 2; });
  const auto numbers = numbers_of(sample_result(), b);
  const PairedNumber& none = number_of(numbers, "none", 8);
  EXPECT_EQ(none.difference.n, 1);
  EXPECT_NEAR(none.difference.effect, 0.5, 1e-12);
  EXPECT_TRUE(std::isnan(none.difference.low));
  EXPECT_THAT(paired_csv(numbers), HasSubstr("none,16,trained,bits,3,1.1333333333333335,"));
  EXPECT_THAT(paired_csv(numbers), HasSubstr(",1,1.5,,1,0.5,,\n"));
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
  const auto numbers = numbers_of(sample_result(), b);
  EXPECT_EQ(number_of(numbers, "none", 16).second_text, "–");
  EXPECT_EQ(number_of(numbers, "none", 32).first_text, "–");
  EXPECT_EQ(number_of(numbers, "none", 32).condition, "shifted");
  EXPECT_EQ(number_of(numbers, "none", 32).difference.n, 0);
}

TEST(Paired, SeedsThatDidNotLearnAreCountedAndKept) {
  ExperimentResult a = sample_result();
  a.gate = LearningGate{"bits", 1.05, "few bits"};
  const auto numbers = numbers_of(a, a);
  EXPECT_EQ(number_of(numbers, "none", 16).first.values.size(), 3U);
  EXPECT_EQ(rows_grid(a, a, paired_rows(a, a)).lines[2][2].text, "1/3");
}

TEST(Paired, GridsMarkIntervalsWithoutZero) {
  const auto grids = paired_grids(numbers_of(sample_result(), changed("none", {0.1, 0.1001, 0.1002})));
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
