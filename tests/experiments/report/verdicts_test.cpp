#include "experiments/report/verdicts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/experiments/report/sample_result.h"

namespace ordinal {
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
    if (cell.encoding == "sinusoidal") cell.scores[2].value = 0.5 + 0.01 * static_cast<double>(cell.seed);
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

TEST(Verdicts, AnEncodingNoBetterThanTheReferenceDidNotLearn) {
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

TEST(Verdicts, NothingRunIsNothingSaid) {
  ExperimentResult result = sample_result();
  result.cells.clear();
  EXPECT_THAT(verdicts(result), testing::ElementsAre("No cell has been run yet."));
}

}  // namespace
}  // namespace ordinal
