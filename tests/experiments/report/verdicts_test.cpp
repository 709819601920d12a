#include "experiments/report/verdicts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "tests/experiments/report/sample_result.h"

namespace ordinal::experiments {
namespace {

using report_test::sample_result;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

TEST(Verdicts, AChangeBeyondTheNoiseIsNamedWithItsInterval) {
  EXPECT_THAT(
      verdicts(sample_result()),
      Contains(
          "At 4x the training length (16), bits per token of “sinusoidal” rises from 1.100 ± 0.100 at 1x "
          "to 3.120 ± 0.110 (n = 3), a change of 2.020 (95 % interval 1.995 to 2.045)."));
}

TEST(Verdicts, FollowTheNumbersAndNotTheNames) {
  ExperimentResult result = sample_result();
  for (CellResult& cell : result.cells) {
    if (cell.row == "sinusoidal") cell.scores[2].value = 0.5 + 0.01 * static_cast<double>(cell.seed);
  }
  EXPECT_THAT(verdicts(result), Contains(HasSubstr("of “sinusoidal” falls from")));
  EXPECT_THAT(verdicts(result), Contains(HasSubstr("(16), “sinusoidal” has the lowest bits per token")));
}

TEST(Verdicts, ADifferenceWithinTheNoiseIsCalledThat) {
  EXPECT_THAT(
      verdicts(sample_result()),
      Contains(AllOf(HasSubstr("At the training length of 4, “learned” has the lowest"),
                     HasSubstr("its lead over “sinusoidal” and “none” is within the noise between seeds"))));
}

TEST(Verdicts, TheLeaderAtTheLongestLengthBeatsByANumber) {
  EXPECT_THAT(
      verdicts(sample_result()),
      Contains(AllOf(HasSubstr("At 4x the training length (16), “none” has the lowest bits per token"),
                     HasSubstr("it beats “sinusoidal” by 1.987 (95 % interval"))));
}

TEST(Verdicts, WhatCannotRunSaysWhereAndWhy) {
  EXPECT_THAT(verdicts(sample_result()),
              Contains(std::string("“learned” cannot run past 4: ") + report_test::failure_reason));
}

TEST(Verdicts, OneSeedConcludesNothing) {
  const std::vector<std::string> sentences = verdicts(sample_result(1));
  EXPECT_THAT(sentences, Contains(HasSubstr("one seed does not show the noise")));
  EXPECT_THAT(sentences, Not(Contains(HasSubstr("beats"))));
  EXPECT_THAT(sentences, Not(Contains(HasSubstr("rises"))));
}

TEST(Verdicts, ARowNoBetterThanTheReferenceDidNotLearn) {
  ExperimentResult result = sample_result();
  result.reference = ReferenceLine{"guessing", 1.12};
  EXPECT_THAT(verdicts(result), Contains(HasSubstr("“none” did not learn the task: 1.133 ± 0.153 (n = 3)")));
  EXPECT_THAT(verdicts(result), Not(Contains(HasSubstr("“sinusoidal” did not learn"))));
}

TEST(Verdicts, HigherIsBetterTurnsTheRankingRound) {
  ExperimentResult result = sample_result();
  result.metric = {"accuracy", "", false};
  EXPECT_THAT(verdicts(result), Contains(HasSubstr("(16), “sinusoidal” has the highest accuracy")));
}

TEST(Verdicts, ADivergedRunIsSaidToBeOne) {
  ExperimentResult result = sample_result();
  result.cells[0].scores[1].value = not_a_number;
  EXPECT_THAT(verdicts(result),
              Contains("“sinusoidal” gives no finite bits per token from 8 on in 1 of 3 seeds."));
}

TEST(Verdicts, RowsOfSeveralFactorsAreNamedByTheirLabel) {
  EXPECT_THAT(verdicts(report_test::two_factors()),
              Contains(AllOf(HasSubstr("At 2x the training length (8), “rope, d_model = 64” has the lowest"),
                             HasSubstr("it beats “rope, d_model = 128” by 1.000 (95 % interval"))));
}

TEST(Verdicts, ManyRowsAreCountedAndTheClosestIsNamed) {
  ExperimentResult result = report_test::sample_result(0);
  result.rows.clear();
  for (int row = 0; row < 12; ++row) {
    const std::string label = "d_model = " + std::to_string(100 - row);
    result.rows.push_back({label, {{"model.d_model", std::to_string(100 - row)}}, ""});
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      const double value = 100.0 - row + 0.1 * static_cast<double>(seed);
      result.cells.push_back(report_test::cell(label, seed, {report_test::score(4, value, not_a_number)}));
    }
  }
  result.lengths = {4};
  EXPECT_THAT(
      verdicts(result),
      testing::ElementsAre(AllOf(HasSubstr("“d_model = 89” has the lowest bits per token"),
                                 HasSubstr("it beats 11 rows, the closest of them “d_model = 90” by 1.000"),
                                 Not(HasSubstr("“d_model = 100”")))));
}

TEST(Verdicts, WithoutOneTrainingLengthTheLengthIsNamed) {
  const std::vector<std::string> sentences = verdicts(report_test::mixed_training());
  EXPECT_THAT(sentences, Contains(HasSubstr("At length 4, “learned” has the lowest")));
  EXPECT_THAT(sentences,
              Contains(HasSubstr("At length 16, bits per token of “sinusoidal” rises from 1.100 ± 0.100 "
                                 "at length 4 to 3.120")));
  EXPECT_THAT(sentences, Not(Contains(HasSubstr("training length"))));
}

TEST(Verdicts, AnotherConditionThanThatOfTrainingIsNamed) {
  ExperimentResult result = report_test::two_factors();
  EXPECT_THAT(verdicts(result), Not(Contains(HasSubstr("window"))));
  std::swap(result.conditions[0], result.conditions[1]);
  EXPECT_EQ(verdicts(result).front(), "These sentences are about the scores under window(size=4).");
}

TEST(Verdicts, NothingRunIsNothingSaid) {
  ExperimentResult result = sample_result();
  result.cells.clear();
  EXPECT_THAT(verdicts(result), testing::ElementsAre("No cell has been run yet."));
}

}  // namespace
}  // namespace ordinal::experiments
