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
ClaimResult decided(const std::string& text, std::uint64_t seeds = 8) {
  return decide({claim(text)}, report_test::sample_result(seeds)).front();
}

TEST(Decision, HoldsOrFailsAsTheSignTestSays) {
  const ClaimResult holds = decided("bits(sinusoidal, 4x) > bits(sinusoidal, 1x) + 1.5");
  EXPECT_EQ(holds.verdict, Verdict::holds);
  EXPECT_EQ(holds.n, 8);
  EXPECT_NEAR(holds.effect, 0.5 + 0.045, 1e-9);
  EXPECT_NEAR(holds.low, 0.5 + 0.01, 1e-9) << "at 5 % of eight seeds, the lowest";
  EXPECT_NEAR(holds.high, 0.5 + 0.08, 1e-9);
  EXPECT_THAT(holds.why, EndsWith(" against 2.850 in the mean; in 8 of 8 seeds"));
  EXPECT_EQ(decided("bits(sinusoidal, 4x) < bits(sinusoidal, 1x)").verdict, Verdict::fails);
  EXPECT_LT(decided("bits(sinusoidal, 4x) < bits(sinusoidal, 1x)").effect, 0.0);
}

TEST(Decision, IsOpenForTooFewSeedsOrASmallDifference) {
  const ClaimResult few = decided("bits(sinusoidal, 4x) > bits(sinusoidal, 1x)", 5);
  EXPECT_EQ(few.verdict, Verdict::undecided);
  EXPECT_TRUE(std::isnan(few.low));
  EXPECT_EQ(decided("bits(none, 1x) < bits(sinusoidal, 1x)").verdict, Verdict::undecided);
}

TEST(Decision, OfAnEqualityNeedsAllOfTheIntervalWithinTheMargin) {
  EXPECT_EQ(decided("bits(sinusoidal, 4x) = bits(sinusoidal, 1x) + 2 within 0.1").verdict, Verdict::holds);
  EXPECT_EQ(decided("bits(sinusoidal, 4x) = bits(sinusoidal, 1x) + 2 within 0.075").verdict,
            Verdict::undecided)
      << "by 0.08 in one of eight seeds";
  EXPECT_EQ(decided("bits(sinusoidal, 4x) = bits(sinusoidal, 1x) within 0.5").verdict, Verdict::fails);
  EXPECT_EQ(decided("bits(sinusoidal, 4x) = bits(sinusoidal, 1x) + 2.03 within 0.0001").verdict,
            Verdict::undecided);
}

TEST(Decision, MayBeAboutTheGradientInTraining) {
  ExperimentResult result = report_test::sample_result(7);
  for (CellResult& cell : result.cells) {
    cell.gradient_norm = cell.row == "none" ? 1.0 : 2.0 + 0.01 * static_cast<double>(cell.seed);
    if (cell.row == "learned") cell.gradient_norm = not_a_number;  // of a version that did not keep it
  }
  const auto of = [&](const std::string& text) { return decide({claim(text)}, result).front(); };
  EXPECT_EQ(of("gradient_norm(none) < gradient_norm(sinusoidal)").verdict, Verdict::holds);
  EXPECT_NEAR(of("gradient_norm(none) < gradient_norm(sinusoidal)").effect, 1.04, 1e-9);
  EXPECT_EQ(of("gradient_norm(none) < gradient_norm(learned)").verdict, Verdict::undecided);
}

TEST(Decision, OfAChainIsThatOfItsWeakestPart) {
  const ClaimResult holds =
      decided("bits(sinusoidal, 1x) < bits(sinusoidal, 4x) < bits(sinusoidal, 1x) + 2.5");
  EXPECT_EQ(holds.verdict, Verdict::holds);
  EXPECT_NEAR(holds.effect, 0.5 - 0.045, 1e-9);
  const ClaimResult fails =
      decided("bits(sinusoidal, 1x) < bits(sinusoidal, 4x) < bits(sinusoidal, 1x) + 1.5");
  EXPECT_EQ(fails.verdict, Verdict::fails);
  EXPECT_NEAR(fails.effect, -0.5 - 0.045, 1e-9);
}

TEST(Decision, AFailureIsARowThatCannotRun) {
  EXPECT_EQ(decided("fails(learned, 2x)").verdict, Verdict::holds);
  EXPECT_EQ(decided("fails(learned, 1x)").verdict, Verdict::fails);
  EXPECT_EQ(decided("fails(learned, 2x) and bits(none, 1x) < 5").verdict, Verdict::holds);
  EXPECT_EQ(decided("fails(learned, 2x) and bits(none, 1x) > 5").verdict, Verdict::fails);
  EXPECT_EQ(decided("bits(learned, 2x) < 5").verdict, Verdict::undecided);
  EXPECT_EQ(decided("bits(learned, 2x) < 5").why, "“learned” cannot run at 8 in 8 of 8 seeds");
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
  for (std::uint64_t seed = 1; seed <= 7; ++seed) {
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
  EXPECT_NEAR(unseen.effect, 0.5 - 0.045 / 2.0, 1e-9);
}

// A row that fewer than three quarters of the seeds learned says nothing past the training length, unless the claim is about
// all seeds, or is about learning. No seed is ever left out.
TEST(Decision, IsAboutRowsThatWereLearned) {
  ExperimentResult result = report_test::sample_result(8);
  result.gate = LearningGate{"bits", 1.55, "1.55 bits"};  // sinusoidal: seeds 1 to 6
  const std::string text = "bits(sinusoidal, 4x) > 0";
  EXPECT_EQ(decide({claim(text)}, result)[0].verdict, Verdict::holds);
  EXPECT_EQ(decide({claim(text)}, result)[0].n, 8);
  result.gate->threshold = 1.45;  // seeds 1 to 5
  const ClaimResult not_learned = decide({claim(text)}, result)[0];
  EXPECT_EQ(not_learned.verdict, Verdict::undecided);
  EXPECT_THAT(not_learned.why,
              EndsWith("; in 8 of 8 seeds; “sinusoidal” learned the task in 5 of 8, 0.24 to 0.91: fewer "
                       "than three quarters"));
  const auto verdict = [&](const std::string& statement, const std::string& seeds) {
    Claim one = claim(statement);
    one.seeds = seeds;
    return decide({one}, result)[0].verdict;
  };
  EXPECT_EQ(verdict(text, "all"), Verdict::holds);
  EXPECT_EQ(verdict(text + " in most seeds", ""), Verdict::holds);
  EXPECT_EQ(verdict(text + " in most seeds", "learned"), Verdict::undecided);
  EXPECT_EQ(verdict("bits(sinusoidal, 1x) > 0", ""), Verdict::holds);
  EXPECT_EQ(verdict("bits(sinusoidal, 1x) > 0", "learned"), Verdict::undecided);
  for (CellResult& cell : result.cells) cell.gradient_norm = 1.0;
  EXPECT_EQ(verdict("gradient_norm(sinusoidal) > 0", ""), Verdict::holds);
  EXPECT_EQ(verdict("gradient_norm(sinusoidal) > 0", "learned"), Verdict::undecided);
}

TEST(Decision, MayBeAboutLearning) {
  ExperimentResult result = report_test::sample_result(8);
  result.gate = LearningGate{"bits", 1.05, "1.05 bits"};  // sinusoidal: seed 1
  const ClaimResult few = decide({claim("learned(sinusoidal) >= 0.5")}, result)[0];
  EXPECT_EQ(few.verdict, Verdict::undecided) << "seven of eight did not: p = 0.07";
  EXPECT_THAT(few.why, EndsWith("; in 1 of 8 seeds"));
  result.gate->threshold = 0.5;
  EXPECT_EQ(decide({claim("learned(sinusoidal) >= 0.5")}, result)[0].verdict, Verdict::fails);
  result.gate.reset();
  EXPECT_EQ(decide({claim("learned(sinusoidal) > 0.5")}, result)[0].n, 0) << "nothing says what learning is";
}

// A seed without a number is not left out.
TEST(Decision, NeedsANumberOfEachSeed) {
  ExperimentResult result = report_test::sample_result(8);
  report_test::value(result.cells.front(), 16) = INFINITY;  // sinusoidal, seed 1
  const ClaimResult one = decide({claim("bits(sinusoidal, 4x) > 0")}, result)[0];
  EXPECT_EQ(one.verdict, Verdict::undecided);
  EXPECT_THAT(one.why, EndsWith("; in 7 of 7 seeds; “sinusoidal” has no finite bits at 16 in 1 of 8 seeds"));
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

// In binary, 0.6 + 0.3 is less than 0.9.
TEST(Decision, CountsATieAgainstAClaimThatExcludesIt) {
  const ExperimentResult result = with_accuracies(0.9, 0.6);
  const auto of = [&](const std::string& text) { return decide({claim(text)}, result).front().verdict; };
  EXPECT_EQ(of("accuracy(none, 1x) > accuracy(sinusoidal, 1x) + 0.3"), Verdict::fails);
  EXPECT_EQ(of("accuracy(none, 1x) >= accuracy(sinusoidal, 1x) + 0.3"), Verdict::holds);
  EXPECT_EQ(of("accuracy(sinusoidal, 1x) + 0.3 <= accuracy(none, 1x)"), Verdict::holds);
  EXPECT_EQ(of("accuracy(sinusoidal, 1x) + 0.3 < accuracy(none, 1x)"), Verdict::fails);
  EXPECT_EQ(of("accuracy(none, 1x) = accuracy(sinusoidal, 1x) within 0.3"), Verdict::fails);
  EXPECT_EQ(of("accuracy(none, 1x) = accuracy(sinusoidal, 1x) within 0.31"), Verdict::holds);
}

TEST(Decision, IsCorrectedForAllComparisons) {
  const ExperimentResult result = report_test::sample_result(6);
  const Claim one = claim("bits(none, 1x) <= bits(none, 1x)");
  EXPECT_EQ(decide({one}, result).front().verdict, Verdict::holds);  // 6 of 6: p = 0.031
  EXPECT_EQ(decide({one, one}, result).front().verdict, Verdict::undecided);
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
      for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        result.cells.push_back(
            report_test::cell("r" + std::to_string(row), seed,
                              {report_test::score(4, 2.0 + 0.1 * random.normal(), not_a_number)}));
      }
    }
    const auto verdicts = decide(claims, result);
    wrong += std::ranges::any_of(verdicts,
                                 [](const ClaimResult& one) { return one.verdict != Verdict::undecided; });
  }
  EXPECT_LE(wrong, experiments / 20);
}

}  // namespace
}  // namespace ordinal::experiments
