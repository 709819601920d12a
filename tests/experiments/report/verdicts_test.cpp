#include "experiments/report/verdicts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "experiments/report/comparison.h"
#include "tests/experiments/report/sample_result.h"

namespace ordinal::experiments {
namespace {

using report_test::baseline;
using report_test::sample_result;
using report_test::score;
using report_test::texts;
using report_test::value;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

TEST(Answer, SaysByHowMuchAndInHowManySeeds) {
  EXPECT_THAT(answer(sample_result(6)),
              ElementsAre("In bits per token, “none” is best at length 16 (4x), 1.133 ± 0.137: ahead of "
                          "“sinusoidal” by 2.180 (1.910 to 2.450) in 6 of 6 seeds."));
}

TEST(Answer, WithTooFewSeedsIsUndecided) {
  EXPECT_THAT(answer(sample_result()),
              ElementsAre("In bits per token, the best row at length 16 (4x) is undecided: “none” (1.133 ± "
                          "0.153) is ahead of “sinusoidal” (3.120 ± 0.110) in 3 of 3 seeds."));
  EXPECT_THAT(answer(sample_result(1)),
              ElementsAre(HasSubstr("“none” (1.100) is ahead of “sinusoidal” (3.010) in 1 of 1 seeds.")));
}

// In the sixth seed the better row is far behind, and in the seventh they are level.
TEST(Answer, SaysWhereTheBestMeanIsBehindAndWhereRowsAreLevel) {
  ExperimentResult result = sample_result(7);
  for (CellResult& cell : result.cells) {
    if (cell.row == "sinusoidal") value(cell, 16) = 1.0;
    if (cell.row == "none") value(cell, 16) = cell.seed == 6 ? -9.0 : cell.seed == 7 ? 1.0 : 1.1;
  }
  EXPECT_THAT(answer(result), ElementsAre(AllOf(HasSubstr("is undecided: “none” ("),
                                                HasSubstr(" in 1 of 7 seeds and level in 1."))));
  for (CellResult& cell : result.cells)
    if (cell.row == "none" && cell.seed == 7) value(cell, 16) = 1.1;
  for (std::uint64_t seed = 8; seed <= 9; ++seed) {
    for (const auto& [row, bits] : {std::pair("sinusoidal", 1.0), {"none", 1.1}})
      result.cells.push_back(report_test::cell(row, seed, {score(4, 1.0), score(16, bits, bits)}));
  }
  EXPECT_THAT(
      answer(result),
      ElementsAre(AllOf(HasSubstr("“none” has the best mean at length 16 (4x), -0.022"),
                        EndsWith("but is behind “sinusoidal” by 0.100 (0.100 to 0.100) in 8 of 9 seeds."))));
}

TEST(Answer, SaysWhichRowsAreLevelInEverySeed) {
  ExperimentResult result = sample_result(3);
  for (CellResult& cell : result.cells)
    if (cell.row != "learned") value(cell, 16) = 1.0;
  EXPECT_THAT(answer(result), ElementsAre("In bits per token, “sinusoidal” and “none” are level at length 16 "
                                          "(4x), 1.000 ± 0.000, in all 3 seeds."));
}

// Ahead of rope, the next, in all seven seeds, but of alibi in six.
TEST(Answer, NamesTheBestRowThatTheFirstIsNotDecidedToBeAheadOf) {
  ExperimentResult result = sample_result(0);
  result.rows.clear();
  for (const auto& [row, bits, last] :
       {std::tuple("none", 1.0, 1.0), {"rope", 1.1, 1.1}, {"alibi", 1.5, 0.9}, {"t5", 1.6, 0.9}}) {
    result.rows.push_back(report_test::encoding_row(row));
    for (std::uint64_t seed = 1; seed <= 9; ++seed)
      result.cells.push_back(report_test::cell(row, seed, {score(16, seed == 9 ? last : bits)}));
  }
  EXPECT_THAT(answer(result),
              ElementsAre(HasSubstr("is undecided: “none” (1.000 ± 0.000) is ahead of “alibi” "
                                    "(1.433 ± 0.200) in 8 of 9 seeds.")));
}

TEST(Answer, HasASentenceForEachHeadline) {
  ExperimentResult result = sample_result(7);
  for (MetricSpec& metric : result.metrics) metric.headline = true;
  result.metrics[1].name = "other bits";
  EXPECT_THAT(answer(result),
              ElementsAre(HasSubstr("In bits per token, “none” is best at length 16 (4x), 1.129"),
                          HasSubstr("In other bits past the training length, “none” is best at length 16")));
  result.metrics[0].sources = SourceRange::within;
  result.metrics[1].sources = SourceRange::beyond;
  EXPECT_THAT(answer(result),
              ElementsAre(HasSubstr("Near, “none” is best at"), HasSubstr("Far, “none” is best at")));
}

TEST(Answer, OfASingleRowRanksNothing) {
  ExperimentResult result = sample_result();
  std::erase_if(result.rows, [](const RowInfo& row) { return row.label != "none"; });
  EXPECT_THAT(answer(result), ElementsAre("In bits per token, “none” has 1.133 ± 0.153 at length 16 (4x)."));
}

TEST(Answer, OfTooFewTargetsRanksNoRow) {
  ExperimentResult result = sample_result();
  for (CellResult& cell : result.cells)
    for (Score& score : cell.scores) score.tokens = 23;
  EXPECT_THAT(answer(result), ElementsAre("In bits per token, no row is ranked at length 16 (4x)."));
}

TEST(Answer, RanksNoRowThatDidNotLearn) {
  ExperimentResult result = sample_result();
  report_test::gate(result, 1.05, "at most 1.05 bits");  // none: 1.1, 1.0 and 1.3
  EXPECT_THAT(answer(result), ElementsAre("In bits per token, no row is ranked at length 16 (4x)."));
  report_test::gate(result, 1.25, "at most 1.25 bits");  // none: 2 of 3, sinusoidal: 3 of 3
  EXPECT_THAT(answer(result),
              ElementsAre("In bits per token, “sinusoidal” has 3.120 ± 0.110 at length 16 (4x); "
                          "no other row is ranked."));
  report_test::gate(result, 0.0, "none");
  EXPECT_THAT(answer(result), ElementsAre("In bits per token, no row is ranked at length 16 (4x): fewer than "
                                          "three quarters of the seeds are known to have learned the task."));
}

TEST(Answer, IsOfTheRankedRowsIfAnotherDidNotLearn) {
  ExperimentResult result = sample_result(6);
  for (CellResult& cell : result.cells)
    if (cell.row == "learned") value(cell, 4) = 9.0;
  report_test::gate(result, 2.0, "at most 2 bits");
  EXPECT_THAT(answer(result),
              ElementsAre(HasSubstr("In bits per token, of the ranked rows, “none” is best at")));
}

// A reader is not trained with seeds, so it is compared with no row.
TEST(Answer, NamesAReaderThatIsAsGoodAsTheBestRow) {
  ExperimentResult result = sample_result(6);  // the best row has 1.133 at 16
  const auto with = [&](double bits, const std::string& of = "") {
    result.references.clear();
    for (const auto& [reader, value] :
         {std::pair("unigram", 2.5), {"4-gram", bits}, {"oracle", 0.5}, {"last 4", 0.6}})
      for (const Score& score : baseline(reader + of, {report_test::score(16, value)}))
        result.references.push_back(score);
    return answer(result).front();
  };
  const double best = at(result, "none", 16, trained_condition, result.metrics[0]).summary.mean;
  EXPECT_THAT(with(1.0), EndsWith("in 6 of 6 seeds. The reader “4-gram” has 1.000."));
  EXPECT_THAT(with(best), EndsWith("The reader “4-gram” has 1.133."));
  EXPECT_THAT(with(1.2), EndsWith("in 6 of 6 seeds."));
  result.rows[0].task = "sort";  // sinusoidal
  result.rows[2].task = "copy";  // none
  EXPECT_THAT(with(1.0, " of copy"), EndsWith("The reader “4-gram of copy” has 1.000."));
  std::erase_if(result.rows, [](const RowInfo& row) { return row.label != "none"; });
  EXPECT_THAT(with(1.0), HasSubstr("“none” has 1.133 ± 0.137 at length 16 (4x). The reader"));
}

TEST(Answer, RanksNoRowOfWhichItIsUnknownWhetherItLearned) {
  ExperimentResult result = sample_result();
  for (CellResult& cell : result.cells)
    if (cell.row == "none") std::erase_if(cell.scores, [](const Score& one) { return one.length == 4; });
  report_test::gate(result, 2.0, "at most 2 bits");
  EXPECT_THAT(answer(result), ElementsAre(HasSubstr("“sinusoidal” has 3.120 ± 0.110")));
}

TEST(Warnings, NameAReaderThatIgnoresOrderAndPassesTheGate) {
  ExperimentResult result = sample_result();
  report_test::gate(result, 1.05, "at most 1.05 bits");
  result.references = baseline("majority", {score(4, 1.04)});
  EXPECT_THAT(warnings(result),
              Contains(HasSubstr("“majority”, a reader that ignores the order of tokens, passes the learning "
                                 "gate with 1.040 (at most 1.05 bits)")));
  result.references[0].value = 1.06;
  EXPECT_THAT(warnings(result), Not(Contains(HasSubstr("majority"))));
  result.references = baseline("4-gram", {score(4, 1.0)});
  EXPECT_THAT(warnings(result), Not(Contains(HasSubstr("passes")))) << "it knows the order";
}

TEST(Warnings, CountTheTargetsOfLengthsThatHaveFew) {
  ExperimentResult result = sample_result();
  result.references = baseline("4-gram", {score(4, 1.0), score(8, 1.0)});
  result.references.back().tokens = 6;
  EXPECT_THAT(warnings(result), testing::ElementsAre("Few targets in a seed for bits per token: 6 at 8, 0 at "
                                                     "16; no mean is shown under 100 (evaluate.batches)."));
  result.metrics[0].sources = SourceRange::beyond;
  result.references.erase(result.references.begin());
  EXPECT_THAT(warnings(result), testing::ElementsAre(HasSubstr(": 6 at 8, 0 at 16;")))
      << "none are expected at 4";
}

TEST(TooFewSeeds, SayHowManyAreEnough) {
  const ExperimentResult result = sample_result(0);  // three rows
  EXPECT_THAT(too_few_seeds(result, 5, 0),
              testing::ElementsAre("5 seeds: no comparison of rows can be decided; 7 are enough for all, at "
                                   "most 3 (experiment.seeds)."));
  EXPECT_THAT(too_few_seeds(result, 6, 0),
              testing::ElementsAre(HasSubstr("not every comparison of rows can be")));
  EXPECT_THAT(too_few_seeds(result, 7, 12),
              testing::ElementsAre("7 seeds: not every comparison of a claim can be decided; 9 are enough "
                                   "for all, at most 12 (experiment.seeds)."));
  EXPECT_THAT(too_few_seeds(result, 9, 12), testing::IsEmpty());
  EXPECT_THAT(
      too_few_seeds(result, 1, 1),
      Contains("1 seed: no comparison of a claim can be decided; 6 are enough for it (experiment.seeds)."));
}

TEST(Answer, HigherIsBetterTurnsTheRankingRound) {
  ExperimentResult result = sample_result();
  result.metrics[0] = {.id = "bits", .name = "accuracy", .measure = Measure::accuracy};
  EXPECT_THAT(answer(result),
              ElementsAre(HasSubstr("In accuracy, the best row at length 16 (4x) is undecided: "
                                    "“sinusoidal” (3.120 ± 0.110) is ahead of “none”")));
}

TEST(Answer, OfManyRowsNamesTwo) {
  ExperimentResult result = report_test::sample_result(0);
  result.rows.clear();
  for (int row = 0; row < 12; ++row) {
    const std::string label = "d_model = " + std::to_string(100 - row);
    result.rows.push_back({label, {{"model.d_model", std::to_string(100 - row)}}, {}});
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      const double bits = 100.0 - row + (0.1 - 0.001 * row) * static_cast<double>(seed);
      result.cells.push_back(report_test::cell(label, seed, {score(4, bits)}));
    }
  }
  result.lengths = {4};
  EXPECT_THAT(
      answer(result),
      ElementsAre("In bits per token, “d_model = 89” is best at length 4 (1x), 89.58 ± 0.32: ahead of "
                  "“d_model = 90” by 1.006 (1.001 to 1.012) in 12 of 12 seeds."));
  std::erase_if(result.cells, [](const CellResult& cell) { return cell.seed > 3; });
  EXPECT_THAT(answer(result), ElementsAre(EndsWith(" in 3 of 3 seeds.")));
}

TEST(PairGrids, SayWhoIsAheadByHowMuchAndInHowManySeeds) {
  const std::vector<Grid> grids = pair_grids(sample_result(6));
  ASSERT_EQ(grids.size(), 1U);
  EXPECT_EQ(grids[0].title, "bits per token, pairs at length 16 (4x)");
  ASSERT_EQ(grids[0].lines.size(), 1U) << "learned fails, so it is in no pair";
  EXPECT_THAT(texts(grids[0].lines[0]),
              ElementsAre("none", "sinusoidal", "2.180 (1.910 to 2.450)", "6 of 6", "0.031"));
}

TEST(PairGrids, MarkPairsThatAreUndecided) {
  ExperimentResult result = sample_result(3);
  EXPECT_THAT(texts(pair_grids(result)[0].lines[0]),
              ElementsAre("none", "sinusoidal", "1.930", "3 of 3", "0.25 (undecided)"));
  for (CellResult& cell : result.cells)
    if (cell.row != "learned" && cell.seed == 2) report_test::value(cell, 16) = 1.0;
  EXPECT_THAT(texts(pair_grids(result)[0].lines[0]),
              ElementsAre("none", "sinusoidal", "1.910", "2 of 3 (1 level)", "1 (undecided)"));
}

// Seeds, not means: a single outlier makes the mean of the other row better.
TEST(PairGrids, BeginWithTheRowThatIsAheadInMoreSeeds) {
  ExperimentResult result = sample_result(9);
  for (CellResult& cell : result.cells) {
    if (cell.row == "sinusoidal") report_test::value(cell, 16) = 1.0;
    if (cell.row == "none") report_test::value(cell, 16) = cell.seed == 9 ? -9.0 : 1.1;
  }
  EXPECT_THAT(texts(pair_grids(result)[0].lines[0]),
              ElementsAre("sinusoidal", "none", "0.100 (0.100 to 0.100)", "8 of 9", "0.039"));
}

TEST(PairGrids, OfEachHeadlineAreOrderedByTheMeansOfRows) {
  ExperimentResult result = report_test::two_factors(9);
  for (MetricSpec& metric : result.metrics) metric.headline = true;
  const std::vector<Grid> grids = pair_grids(result);
  ASSERT_EQ(grids.size(), 2U);
  ASSERT_EQ(grids[0].lines.size(), 6U) << "of four rows";
  EXPECT_EQ(grids[0].lines[0][0].text, "rope, d_model = 64");
  EXPECT_EQ(grids[0].lines[0][1].text, "rope, d_model = 128");
  EXPECT_EQ(grids[0].lines[5][0].text, "alibi, d_model = 64");
}

TEST(PairGrids, OfASingleRowAreNone) {
  ExperimentResult result = sample_result();
  std::erase_if(result.rows, [](const RowInfo& row) { return row.label != "none"; });
  EXPECT_TRUE(pair_grids(result).empty());
}

}  // namespace
}  // namespace ordinal::experiments
