#include "experiments/claims/decision.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "framework/core/random.h"
#include "tests/experiments/report/sample_result.h"

namespace ordinal::experiments {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Claim claim(const std::string& text) {
  return {.id = "T1", .text = text, .origin = "x.cfg:7", .statement = parse_statement(text)};
}

// sinusoidal: about 1.2 bits at 4 and two more at 16; learned fails past 4; none: 1.1, 1.0 or 1.3 everywhere.
ClaimResult decided(const std::string& text, std::uint64_t seeds = 6) {
  return decide({claim(text)}, report_test::sample_result(seeds)).front();
}

TEST(Decision, HoldsOrFailsWhereTheIntervalSaysSo) {
  const ClaimResult holds = decided("bits(sinusoidal, 4x) > bits(sinusoidal, 1x) + 1.5");
  EXPECT_EQ(holds.verdict, Verdict::holds);
  EXPECT_EQ(holds.n, 6);
  EXPECT_NEAR(holds.effect, 0.5 + 0.035, 1e-9);
  EXPECT_LT(holds.low, holds.effect);
  EXPECT_GT(holds.low, 0.0);
  EXPECT_EQ(decided("bits(sinusoidal, 4x) < bits(sinusoidal, 1x)").verdict, Verdict::fails);
  EXPECT_LT(decided("bits(sinusoidal, 4x) < bits(sinusoidal, 1x)").effect, 0.0);
}

TEST(Decision, IsOpenForTooFewSeedsOrASmallDifference) {
  const ClaimResult few = decided("bits(sinusoidal, 4x) > bits(sinusoidal, 1x)", 4);
  EXPECT_EQ(few.verdict, Verdict::undecided);
  EXPECT_THAT(few.why, EndsWith("; 4 of 4 seeds count, at least 5 are needed"));
  EXPECT_EQ(decided("bits(none, 1x) < bits(none, 1x) + 0").verdict, Verdict::undecided);
}

TEST(Decision, OfAnEqualityNeedsAllOfTheIntervalWithinTheMargin) {
  EXPECT_EQ(decided("bits(sinusoidal, 4x) = bits(sinusoidal, 1x) + 2 within 0.1").verdict, Verdict::holds);
  EXPECT_EQ(decided("bits(sinusoidal, 4x) = bits(sinusoidal, 1x) within 0.5").verdict, Verdict::fails);
  EXPECT_EQ(decided("bits(sinusoidal, 4x) = bits(sinusoidal, 1x) + 2.03 within 0.0001").verdict,
            Verdict::undecided);
}

TEST(Decision, MayBeAboutTheGradientInTraining) {
  ExperimentResult result = report_test::sample_result(6);
  for (CellResult& cell : result.cells) {
    cell.gradient_norm = cell.row == "none" ? 1.0 : 2.0 + 0.01 * static_cast<double>(cell.seed);
    if (cell.row == "learned") cell.gradient_norm = not_a_number;  // of a version that did not keep it
  }
  const auto of = [&](const std::string& text) { return decide({claim(text)}, result).front(); };
  EXPECT_EQ(of("gradient_norm(none) < gradient_norm(sinusoidal)").verdict, Verdict::holds);
  EXPECT_NEAR(of("gradient_norm(none) < gradient_norm(sinusoidal)").effect, 1.035, 1e-9);
  EXPECT_EQ(of("gradient_norm(none) < gradient_norm(learned)").verdict, Verdict::undecided);
}

// Two rows that differ by all or nothing: by 0.6 ± 0.55, whose interval would end above 1.
TEST(Decision, OfFractionsHasAnIntervalInTheirRange) {
  ExperimentResult result = report_test::sample_result(5);
  result.metrics = {{.id = "accuracy", .name = "accuracy", .measure = Measure::accuracy}};
  for (CellResult& cell : result.cells) {
    const double value = cell.row == "none" || cell.seed > 3 ? 0.01 * static_cast<double>(cell.seed) : 1.0;
    cell.scores = {{.length = 4, .metric = "accuracy", .value = value, .tokens = 100}};
  }
  const auto of = [&](const std::string& text) { return decide({claim(text)}, result).front(); };
  EXPECT_EQ(of("accuracy(sinusoidal, 1x) > accuracy(none, 1x)").high, 1.0);
  EXPECT_EQ(of("accuracy(none, 1x) > accuracy(sinusoidal, 1x)").low, -1.0);
  EXPECT_EQ(of("accuracy(none, 1x) + 0.5 < accuracy(sinusoidal, 1x)").high, 0.5);
}

TEST(Decision, OfAChainIsThatOfItsWeakestPart) {
  const ClaimResult holds =
      decided("bits(sinusoidal, 1x) < bits(sinusoidal, 4x) < bits(sinusoidal, 1x) + 2.5");
  EXPECT_EQ(holds.verdict, Verdict::holds);
  EXPECT_NEAR(holds.effect, 0.5 - 0.035, 1e-9);
  const ClaimResult fails =
      decided("bits(sinusoidal, 1x) < bits(sinusoidal, 4x) < bits(sinusoidal, 1x) + 1.5");
  EXPECT_EQ(fails.verdict, Verdict::fails);
  EXPECT_NEAR(fails.effect, -0.5 - 0.035, 1e-9);
}

TEST(Decision, AFailureIsARowThatCannotRun) {
  EXPECT_EQ(decided("fails(learned, 2x)").verdict, Verdict::holds);
  EXPECT_EQ(decided("fails(learned, 1x)").verdict, Verdict::fails);
  EXPECT_EQ(decided("fails(learned, 2x) and bits(none, 1x) < 5").verdict, Verdict::holds);
  EXPECT_EQ(decided("fails(learned, 2x) and bits(none, 1x) > 5").verdict, Verdict::fails);
  EXPECT_EQ(decided("bits(learned, 2x) < 5").verdict, Verdict::undecided);
  EXPECT_EQ(decided("bits(learned, 2x) < 5").why,
            "0 of 6 seeds count, at least 5 are needed: “learned” cannot run at 8 in 6");
}

TEST(Decision, SaysWhichRowRunsThatShouldNot) {
  const ClaimResult result = decided("fails(learned, 2x) and fails(none, 2x) and bits(none, 1x) < 5");
  EXPECT_EQ(result.verdict, Verdict::fails);
  EXPECT_THAT(result.why, ::testing::StartsWith("none runs at 2x; "));
}

TEST(Decision, WithoutScoresAsTrainedIsRefused) {
  ExperimentResult result = report_test::sample_result(1);
  result.conditions = {"window"};
  EXPECT_THAT(claim_problems({claim("bits(none, 2x) < 3"), claim("fails(learned, 2x)")}, result),
              ElementsAre(HasSubstr("got condition 'trained', expected one of window"),
                          HasSubstr("got condition 'trained', expected one of window")));
}

// 2x is twice the training length of each row.
TEST(Decision, OfRowsOfSeveralTrainingLengthsAsksEachForItsOwn) {
  ExperimentResult result = report_test::sample_result(0);
  result.train_length = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    result.cells.push_back(report_test::cell("short", seed, {report_test::score(8, 2.0, 2.0)}));
    result.cells.push_back(report_test::cell(
        "long", seed, {report_test::score(16, 3.0 + 0.01 * static_cast<double>(seed), 3.0)}));
    result.cells.back().train_length = 8;
  }
  result.rows = {report_test::encoding_row("short"), report_test::encoding_row("long")};
  const Claim twice = claim("bits(short, 2x) < bits(long, 2x) and bits(short, unseen) < bits(long, unseen)");
  EXPECT_THAT(claim_problems({twice}, result), IsEmpty());
  EXPECT_EQ(decide({twice}, result)[0].verdict, Verdict::holds);
  EXPECT_THAT(claim_problems({claim("bits(short, manyx) < bits(long, 0x)")}, result),
              ElementsAre(HasSubstr("got length 'manyx'"), HasSubstr("got length '0x'")));
}

TEST(Decision, RoundsAMultipleAsTheTestedLengthsDo) {
  EXPECT_THAT(lengths_in("1.5x", {17, 26, 34}, 17), ElementsAre(26));
  EXPECT_THAT(lengths_in("1.5", {17, 26, 34}, 17), IsEmpty());
}

TEST(Decision, UnseenIsAMeanOverLengths) {
  const ClaimResult unseen = decided("bits(sinusoidal, unseen) < bits(sinusoidal, 2x) + 1");
  EXPECT_EQ(unseen.verdict, Verdict::holds);
  EXPECT_NEAR(unseen.effect, 0.5 - 0.035 / 2.0, 1e-9);
}

// Seeds that did not learn say nothing about longer sequences, unless the claim is about learning.
TEST(Decision, LeavesOutSeedsThatDidNotLearnPastTheTrainingLength) {
  ExperimentResult result = report_test::sample_result(6);
  result.gate = LearningGate{"bits", 1.15, "1.15 bits"};  // sinusoidal: seeds 1 and 2
  const std::string text = "bits(sinusoidal, 4x) > 0";
  EXPECT_EQ(decide({claim(text)}, result)[0].n, 2);
  Claim of_all = claim(text);
  of_all.seeds = "all";
  EXPECT_EQ(decide({of_all}, result)[0].n, 6);
  Claim at_train_length = claim("bits(sinusoidal, 1x) > 0");
  EXPECT_EQ(decide({at_train_length}, result)[0].n, 6);
  at_train_length.seeds = "learned";
  EXPECT_EQ(decide({at_train_length}, result)[0].n, 2);
  for (CellResult& cell : result.cells) cell.gradient_norm = 1.0;
  Claim of_training = claim("gradient_norm(sinusoidal) > 0");
  EXPECT_EQ(decide({of_training}, result)[0].n, 6);
  of_training.seeds = "learned";
  EXPECT_EQ(decide({of_training}, result)[0].n, 2);
  Claim of_most = claim(text + " in most seeds");
  EXPECT_EQ(decide({of_most}, result)[0].n, 6) << "of most seeds all count";
  of_most.seeds = "learned";
  EXPECT_EQ(decide({of_most}, result)[0].n, 2);
  const ClaimResult share = decide({claim("learned(sinusoidal) < 0.9")}, result)[0];
  EXPECT_EQ(share.n, 6);
  EXPECT_NEAR(share.effect, 0.9 - 2 / 6.0, 1e-9);
  result.gate->threshold = 5.0;  // all learn: six of six do not say how many of a hundred would
  EXPECT_EQ(decide({claim("learned(sinusoidal) > 0.5")}, result)[0].verdict, Verdict::undecided);
  result.gate.reset();
  EXPECT_EQ(decide({claim("learned(sinusoidal) > 0.5")}, result)[0].n, 0) << "nothing says what learning is";
}

// Five seeds that are all right may be luck: if one in ten fails, so are 59 % of such experiments.
TEST(Decision, WithoutSpreadIsAShareAndNoVerdict) {
  ExperimentResult result = report_test::sample_result(5);
  result.gate = LearningGate{"bits", 5.0, "5 bits"};
  const ClaimResult held = decide({claim("bits(learned, 1x) <= 1.5")}, result)[0];
  EXPECT_EQ(held.verdict, Verdict::undecided);
  EXPECT_TRUE(std::isnan(held.low));
  EXPECT_EQ(held.why, "1.000 against 1.500; no spread, so no verdict: P(success) 5 of 5, 0.48 to 1.00");
  EXPECT_THAT(decide({claim("bits(learned, 1x) > 1.5")}, result)[0].why, EndsWith("0 of 5, 0.00 to 0.52"));
  EXPECT_EQ(decide({claim("bits(learned, 1x) = 1 within 0.1")}, result)[0].verdict, Verdict::undecided);
}

// Ten seeds of three rows, of which each cell has one accuracy in all its seeds.
ExperimentResult with_accuracies(double none, double sinusoidal) {
  ExperimentResult result = report_test::sample_result(10);
  result.metrics = {{.id = "accuracy", .name = "accuracy", .measure = Measure::accuracy}};
  for (CellResult& cell : result.cells)
    cell.scores = {
        {.length = 4, .metric = "accuracy", .value = cell.row == "none" ? none : sinusoidal, .tokens = 100}};
  return result;
}

// Rows that are perfect in every seed have no spread, but their share of seeds has an interval.
TEST(Decision, InMostSeedsIsAboutTheShareOfSeeds) {
  ExperimentResult result = with_accuracies(1.0, 0.95);
  const auto of = [&](const std::string& text) {
    return decide({claim(text + " in most seeds")}, result).front();
  };
  const ClaimResult all = of("accuracy(none, 1x) >= 0.9");
  EXPECT_EQ(all.verdict, Verdict::holds);
  EXPECT_EQ(all.n, 10);
  EXPECT_EQ(all.effect, 0.5);
  EXPECT_NEAR(all.low, std::pow(0.025, 0.1) - 0.5, 1e-9);  // Clopper-Pearson for 10 of 10
  EXPECT_EQ(all.high, 0.5) << "not the 0.1 by which an accuracy can exceed 0.9";
  EXPECT_THAT(all.why, EndsWith("; P(success) 10 of 10, 0.69 to 1.00"));
  EXPECT_EQ(of("accuracy(none, 1x) < 0.9").verdict, Verdict::fails);
  EXPECT_EQ(of("accuracy(none, 1x) = accuracy(sinusoidal, 1x) within 0.1").verdict, Verdict::holds);
  EXPECT_EQ(of("accuracy(none, 1x) = accuracy(sinusoidal, 1x) within 0.01").effect, -0.5);
  EXPECT_EQ(of("accuracy(learned, 4x) > 0.5").why.find("P(success)"), std::string::npos) << "no seed has it";
  const auto first = std::ranges::find(result.cells, "none", &CellResult::row);
  first->scores.front().value = 0.5;
  EXPECT_THAT(of("accuracy(none, 1x) >= 0.9").why, HasSubstr("P(success) 9 of 10"));
}

// In binary, 0.6 + 0.3 is less than 0.9.
TEST(Decision, InMostSeedsTakesRoundingForATie) {
  const ExperimentResult result = with_accuracies(0.9, 0.6);
  const auto of = [&](const std::string& text) { return decide({claim(text)}, result).front().verdict; };
  EXPECT_EQ(of("accuracy(none, 1x) > accuracy(sinusoidal, 1x) + 0.3 in most seeds"), Verdict::fails);
  EXPECT_EQ(of("accuracy(none, 1x) >= accuracy(sinusoidal, 1x) + 0.3 in most seeds"), Verdict::holds);
  EXPECT_EQ(of("accuracy(sinusoidal, 1x) + 0.3 <= accuracy(none, 1x) in most seeds"), Verdict::holds);
  EXPECT_EQ(of("accuracy(sinusoidal, 1x) + 0.3 < accuracy(none, 1x) in most seeds"), Verdict::fails);
}

TEST(Decision, InMostSeedsIsCorrectedWithTheOthers) {
  const ExperimentResult result = report_test::sample_result(6);
  const Claim one = claim("bits(none, 1x) <= bits(none, 1x) in most seeds");
  EXPECT_EQ(decide({one}, result).front().verdict, Verdict::holds);  // 6 of 6: p = 0.031
  EXPECT_EQ(decide({one, one}, result).front().verdict, Verdict::undecided);
}

TEST(Decision, SaysHowManySeedsCount) {
  ExperimentResult result = report_test::sample_result(6);
  result.gate = LearningGate{"bits", 1.45, "1.45 bits"};  // sinusoidal: all but the sixth
  EXPECT_THAT(decide({claim("bits(sinusoidal, 4x) > 2")}, result)[0].why,
              EndsWith("; seeds that count: 5 of 6, 0.36 to 1.00: “sinusoidal” did not learn the task in 1"));
}

// At the training length all count, whether they learned or not.
TEST(Decision, WithTooFewSeedsNamesTheRowsThatLackThem) {
  ExperimentResult result = report_test::sample_result(3);
  result.gate = LearningGate{"bits", 1.05, "at most 1.05 bits"};  // sinusoidal: seed 1; none: seed 2
  const auto why = [&](const std::string& text) { return decide({claim(text)}, result).front().why; };
  EXPECT_THAT(why("bits(none, 1x) < bits(sinusoidal, 1x)"),
              EndsWith(" against 1.100; 3 of 3 seeds count, at least 5 are needed"));
  EXPECT_EQ(why("bits(none, 4x) < bits(sinusoidal, 4x)"),
            "0 of 3 seeds count, at least 5 are needed: “none” did not learn the task in 2, “sinusoidal” did "
            "not learn the task in 2");
  report_test::value(result.cells.front(), 16) = INFINITY;  // sinusoidal, seed 1
  EXPECT_EQ(
      why("bits(sinusoidal, 4x) < bits(learned, 4x)"),
      "0 of 3 seeds count, at least 5 are needed: “learned” cannot run at 16 in 3, “sinusoidal” did not "
      "learn the task in 2, “sinusoidal” has no finite bits at 16 in 1");
}

TEST(Decision, NamesAllThatTheExperimentDoesNotHave) {
  const ExperimentResult result = report_test::sample_result(1);
  EXPECT_THAT(claim_problems({claim("bits(none, 1x) < bits.past(none, 4x)")}, result), IsEmpty());
  const auto problems = claim_problems(
      {claim("hits(rope, 3x) < bits(none, 1x, window)"), claim("fails(alibi, unseen)")}, result);
  EXPECT_THAT(
      problems,
      ElementsAre(HasSubstr("x.cfg:7: [claim T1] statement: column 1: got row 'rope', expected one of "
                            "sinusoidal, learned, none"),
                  HasSubstr("got metric 'hits', expected one of bits, bits.past, learned"),
                  HasSubstr("got length '3x', expected one of unseen, 4, 8, 16"),
                  HasSubstr("column 18: got condition 'window', expected one of trained"),
                  HasSubstr("got row 'alibi'"), HasSubstr("got length 'unseen', expected one of 4, 8, 16")));
}

// 20 claims about rows that are equal but for noise: in fewer than one experiment of twenty, any is decided.
TEST(Decision, OfManyClaimsAboutNothingIsRarelyWrong) {
  Index wrong = 0;
  constexpr Index experiments = 300;
  std::vector<Claim> claims;
  for (int i = 0; i < 20; ++i) {
    claims.push_back(
        claim("bits(r" + std::to_string(i) + ", 1x) < bits(r" + std::to_string((i + 7) % 20) + ", 1x)"));
  }
  for (Index e = 0; e < experiments; ++e) {
    Random random({.seed = 3, .step = static_cast<std::uint32_t>(e)});
    ExperimentResult result = report_test::sample_result(0);
    for (int row = 0; row < 20; ++row) {
      for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        result.cells.push_back(
            report_test::cell("r" + std::to_string(row), seed,
                              {report_test::score(4, 2.0 + 0.1 * random.normal(), not_a_number)}));
      }
    }
    const auto verdicts = decide(claims, result);
    wrong += std::ranges::any_of(verdicts,
                                 [](const ClaimResult& one) { return one.verdict != Verdict::undecided; });
  }
  EXPECT_LT(wrong, experiments / 20 + 7);  // 5 % and two standard errors
}

}  // namespace
}  // namespace ordinal::experiments
