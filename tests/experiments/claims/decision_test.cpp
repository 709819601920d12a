// Expected verdicts follow from binomial coefficients: with 8 seeds that agree p = 2/256 = 0.0078, with 7 of 8 2·9/256 = 0.07,
// with 9 of 10 2·11/1024 = 0.0215.
#include "experiments/claims/decision.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "experiments/claims/stored_scores.h"
#include "tests/experiments/report/sample_result.h"

namespace ordinal::experiments {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using Numbers = std::vector<double>;
using Rows = std::map<std::string, Numbers>;

const MetricSpec accuracy = plain_metrics(Measure::accuracy).front();
const MetricSpec bits = plain_metrics(Measure::bits).front();

// Of seeds 1, 2, …, all of which learned.
std::vector<Score> stored(const Rows& rows, const MetricSpec& metric = accuracy) {
  std::vector<Score> scores;
  for (const auto& [row, values] : rows)
    for (const double value : values) {
      const bool is_first = scores.empty() || scores.back().row != row;
      scores.push_back({.row = row,
                        .seed = is_first ? 1 : scores.back().seed + 1,
                        .length = 32,
                        .metric = metric,
                        .value = value,
                        .tokens = 100,
                        .learned = true});
    }
  return scores;
}

Score reader(const std::string& name, double value, Index length = 32, const MetricSpec& metric = accuracy) {
  return {.row = name,
          .of_reader = true,
          .length = length,
          .metric = metric,
          .value = value,
          .tokens = 100,
          .learned = true};
}

// Says of the first seeds of row b that they did not learn, or that it is unknown.
void set_first_of_b(std::vector<Score>& scores, std::uint64_t count, std::optional<bool> learned) {
  for (Score& score : scores)
    if (score.row == "b" && score.seed <= count) score.learned = learned;
}

Claim claim(const std::string& text) {
  Claim claim{.statement = parse_statement(text)};
  for (Quantity& side : claim.statement.sides) side.at = 32;
  return claim;
}

std::vector<ClaimResult> decided(const std::vector<Claim>& claims, const std::vector<Score>& scores,
                                 std::size_t n = 8) {
  std::vector<std::uint64_t> seeds(n);
  std::iota(seeds.begin(), seeds.end(), 1U);
  return decide(claims, scores, seeds);
}

ClaimResult of(const std::string& text, const Rows& rows) {
  return decided({claim(text)}, stored(rows), rows.begin()->second.size()).front();
}

Verdict verdict(const std::string& text, const Rows& rows) { return of(text, rows).verdict; }

Numbers constant(double value, std::size_t n = 8) { return Numbers(n, value); }

const Numbers rising = {0.71, 0.72, 0.73, 0.74, 0.75, 0.76, 0.77, 0.78};
const std::string above = "accuracy(a, 32) > accuracy(b, 32)";

TEST(Decision, HoldsIfAllOfEightSeedsAreAhead) {
  const ClaimResult result = of(above, {{"a", rising}, {"b", constant(0.5)}});
  EXPECT_EQ(result.verdict, Verdict::holds);
  EXPECT_NEAR(result.comparison.median(), 0.245, 1e-12);
  EXPECT_NEAR(result.comparison.interval.low, 0.21, 1e-12) << "2 · P(Bin(8, 1/2) < 1) is below 5 %";
  EXPECT_NEAR(result.comparison.interval.high, 0.28, 1e-12);
  EXPECT_EQ(result.measured(),
            "0.745 against 0.500, ahead in 8 of 8 seeds, by 0.245 (0.210 to 0.280); learned 8/8, 8/8");
  EXPECT_EQ(verdict(above, {{"a", constant(0.5)}, {"b", rising}}), Verdict::fails);
}

TEST(Decision, IsOpenIfASeedOfEightDisagreesOrFiveAgree) {
  Numbers one_behind = rising;
  one_behind[3] = 0.4;
  const ClaimResult open = of(above, {{"a", one_behind}, {"b", constant(0.5)}});
  EXPECT_EQ(open.verdict, Verdict::undecided);
  EXPECT_TRUE(open.measured().ends_with("learned 8/8, 8/8; 9 seeds would decide it at this share"))
      << open.measured();
  EXPECT_EQ(verdict(above, {{"a", constant(0.6, 5)}, {"b", constant(0.5, 5)}}), Verdict::undecided);
}

TEST(Decision, CountsTiesForNeitherSide) {
  Numbers two_ties = rising;
  two_ties[0] = two_ties[1] = 0.5;
  EXPECT_EQ(verdict(above, {{"a", two_ties}, {"b", constant(0.5)}}), Verdict::undecided);
  EXPECT_EQ(verdict(above, {{"a", constant(0.5)}, {"b", two_ties}}), Verdict::undecided);
}

TEST(Decision, TakesTheMarginOffInTheTestAlone) {
  const ClaimResult holds = of(above + " + 0.2", {{"a", rising}, {"b", constant(0.5)}});
  EXPECT_EQ(holds.verdict, Verdict::holds);
  EXPECT_THAT(holds.measured(),
              HasSubstr("ahead by more than 0.2 in 8 of 8 seeds, by 0.245 (0.210 to 0.280)"));
  EXPECT_EQ(verdict(above + " + 0.215", {{"a", rising}, {"b", constant(0.5)}}), Verdict::undecided);
  EXPECT_EQ(verdict(above + " + 0.29", {{"a", rising}, {"b", constant(0.5)}}), Verdict::fails);
  EXPECT_EQ(verdict(above + " + 0.3", {{"a", constant(0.9)}, {"b", constant(0.6)}}), Verdict::undecided)
      << "a tie, although 0.6 + 0.3 is less than 0.9 in binary";
}

TEST(Decision, OfAnEqualityCountsTheSeedsInsideTheMargin) {
  const std::string equal = "accuracy(a, 32) = accuracy(b, 32) within ";
  EXPECT_EQ(verdict(equal + "0.3", {{"a", rising}, {"b", constant(0.5)}}), Verdict::holds);
  EXPECT_EQ(verdict(equal + "0.3", {{"a", constant(0.5)}, {"b", rising}}), Verdict::holds);
  EXPECT_EQ(verdict(equal + "0.275", {{"a", rising}, {"b", constant(0.5)}}), Verdict::undecided);
  EXPECT_EQ(verdict(equal + "0.2", {{"a", rising}, {"b", constant(0.5)}}), Verdict::fails);
  EXPECT_EQ(verdict(equal + "0.2", {{"a", constant(0.5)}, {"b", rising}}), Verdict::fails);
  EXPECT_THAT(of(equal + "0.3", {{"a", rising}, {"b", constant(0.5)}}).measured(),
              HasSubstr("0.745 against 0.500, within 0.3 in 8 of 8 seeds, by 0.245 (0.210 to 0.280)"));
  const Numbers to_and_fro = {0.9, 0.1, 0.9, 0.1, 0.9, 0.1, 0.9, 0.1};
  const auto on_both_sides = [&](const std::string& margin) {
    return of(equal + margin, {{"a", to_and_fro}, {"b", constant(0.5)}});
  };
  EXPECT_EQ(on_both_sides("0.5").verdict, Verdict::holds);
  EXPECT_EQ(on_both_sides("0.3").verdict, Verdict::fails);
  EXPECT_THAT(on_both_sides("0.3").measured(), HasSubstr("within 0.3 in 0 of 8 seeds"));
}

TEST(Decision, ComparesWithANumberAsMeasured) {
  const ClaimResult holds = of("accuracy(a, 32) >= 0.7", {{"a", rising}});
  EXPECT_EQ(holds.verdict, Verdict::holds);
  EXPECT_EQ(holds.measured(), "0.745, above 0.7 in 8 of 8 seeds, by 0.045 (0.010 to 0.080); learned 8/8");
  EXPECT_EQ(verdict("accuracy(a, 32) >= 0.715", {{"a", rising}}), Verdict::undecided);
  EXPECT_EQ(verdict("accuracy(a, 32) >= 0.79", {{"a", rising}}), Verdict::fails);
}

TEST(Decision, IsCorrectedForAllClaimsOfTheConfig) {
  const std::vector<Score> scores = stored({{"a", rising}, {"b", constant(0.5)}});
  const auto first = [&](std::size_t claims) {
    return decided(std::vector(claims, claim(above)), scores).front().verdict;
  };
  EXPECT_EQ(first(6), Verdict::holds) << "0.05 / 6 = 0.0083";
  EXPECT_EQ(first(7), Verdict::undecided) << "0.05 / 7 = 0.0071";
}

TEST(Decision, MultipliesPByTheLooks) {
  Numbers nine_ahead = constant(0.6, 10);
  nine_ahead[0] = 0.4;
  const std::vector<Score> scores = stored({{"a", nine_ahead}, {"b", constant(0.5, 10)}});
  Claim asked = claim(above);
  asked.looks = 2;
  EXPECT_EQ(decided({asked}, scores, 10).front().verdict, Verdict::holds) << "p = 0.043";
  EXPECT_THAT(decided({asked}, scores, 10).front().measured(), EndsWith("; look 2"));
  asked.looks = 3;
  EXPECT_EQ(decided({asked}, scores, 10).front().verdict, Verdict::undecided) << "p = 0.064";
}

TEST(Decision, NeedsRowsThatThreeQuartersOfTheSeedsLearned) {
  std::vector<Score> scores = stored({{"a", rising}, {"b", constant(0.5)}});
  set_first_of_b(scores, 2, false);
  EXPECT_EQ(decided({claim(above)}, scores).front().verdict, Verdict::holds);
  set_first_of_b(scores, 3, false);
  EXPECT_EQ(decided({claim(above)}, scores).front().verdict, Verdict::undecided);
  EXPECT_THAT(decided({claim(above)}, scores).front().measured(),
              EndsWith("; learned 8/8, 5/8; fewer than three quarters of the seeds of b learned"));
  set_first_of_b(scores, 8, std::nullopt);
  EXPECT_EQ(decided({claim(above)}, scores).front().verdict, Verdict::undecided);
  EXPECT_THAT(decided({claim(above)}, scores).front().measured(),
              EndsWith("; learned 8/8, 0/8; it is unknown how many of the seeds of b learned"));
}

TEST(Decision, NeedsAsManyTargetsAsAMeanInATable) {
  std::vector<Score> scores = stored({{"a", rising}, {"b", constant(0.5)}});
  scores.back().tokens = 99;
  EXPECT_THAT(decided({claim(above)}, scores).front().measured(),
              EndsWith("accuracy of b at 32 (trained) has 99 targets in a seed, fewer than 100"));
  EXPECT_EQ(decided({claim(above)}, scores).front().verdict, Verdict::undecided);
}

TEST(Decision, NeedsARowThatIsAboveEveryReader) {
  std::vector<Score> scores = stored({{"a", rising}, {"b", constant(0.5)}});
  const auto read = [&](const std::string& name, double value, Index length = 32) {
    scores.push_back(reader(name, value, length));
    return decided({claim(above)}, scores).front();
  };
  read("oracle", 1.0);
  read("last 64", 1.0);
  read("draw", 0.74);
  EXPECT_EQ(read("4-gram", 0.9, 64).verdict, Verdict::holds) << "the median of a is 0.745";
  EXPECT_EQ(read("draw", compare(rising).median()).verdict, Verdict::undecided) << "as good is not better";
  const ClaimResult floor = read("majority", 0.75);
  EXPECT_EQ(floor.verdict, Verdict::undecided);
  EXPECT_THAT(floor.measured(), EndsWith("; at the floor: majority has 0.750"));
}

TEST(Decision, ComparesARowWithReadersOfItsOwnTask) {
  std::vector<Score> scores = stored({{"a", rising}, {"b", constant(0.5)}});
  Claim of_copy = claim(above);
  for (Quantity& side : of_copy.statement.sides) side.task = "copy";
  scores.push_back(reader("unigram of sort", 0.9));
  EXPECT_EQ(decided({of_copy}, scores).front().verdict, Verdict::holds);
  scores.push_back(reader("unigram of copy", 0.9));
  EXPECT_THAT(decided({of_copy}, scores).front().measured(),
              EndsWith("at the floor: unigram of copy has 0.900"));
}

// Whatever the id of the metric is.
TEST(Decision, OfBitsIsAboveAReaderWithFewer) {
  MetricSpec surprise = bits;
  surprise.id = "surprise";
  std::vector<Score> scores = stored({{"a", constant(3.0)}, {"b", constant(2.0)}}, surprise);
  Claim fewer = claim("surprise(a, 32) > surprise(b, 32)");
  scores.push_back(reader("bigram", 2.5, 32, surprise));
  EXPECT_EQ(decided({fewer}, scores).front().verdict, Verdict::holds);
  scores.back().value = 1.9;
  EXPECT_EQ(decided({fewer}, scores).front().verdict, Verdict::undecided);
}

TEST(Decision, NeedsANumberOfEachSeed) {
  Numbers diverged = rising;
  diverged[5] = not_a_number;
  const ClaimResult result = of(above, {{"a", diverged}, {"b", constant(0.5)}});
  EXPECT_EQ(result.verdict, Verdict::undecided);
  EXPECT_EQ(result.measured(), "accuracy of a at 32 (trained) has a value in 7 of 8 seeds");
}

TEST(Decision, IsNotRunIfAScoreIsMissing) {
  const ClaimResult result = of(above, {{"a", rising}, {"b", constant(0.5, 6)}});
  EXPECT_EQ(result.verdict, Verdict::not_run);
  EXPECT_EQ(to_string(result.verdict), "not run yet");
  EXPECT_EQ(result.measured(), "accuracy of b at 32 (trained) has a value in 6 of 8 seeds");
  EXPECT_EQ(of("accuracy(a, 32, window) >= 0.5", {{"a", rising}}).measured(),
            "accuracy of a at 32 (window) has a value in 0 of 8 seeds");
}

TEST(Decision, FromAResultIsThatFromItsFile) {
  ExperimentResult result = report_test::sample_result(8);
  report_test::gate(result, 1.65, "1.65 bits");  // sinusoidal: seeds 1 to 7
  result.references = report_test::baseline("bigram", {report_test::score(16, 2.0, not_a_number)});
  Claim fewer = claim("bits(sinusoidal, 16) > bits(none, 16) + 1.5");
  for (Quantity& side : fewer.statement.sides) side.at = 16;
  const std::vector<Score> kept = kept_scores({fewer}, result);
  const std::string file = scores_csv(kept);
  EXPECT_THAT(file, ::testing::Not(HasSubstr("bits.past")));
  EXPECT_THAT(file, HasSubstr("sinusoidal,1,8,"));  // all lengths
  const std::string measured =
      "3.395 against 1.113, ahead by more than 1.5 in 8 of 8 seeds, by 2.250 (1.910 to 2.780); learned 7/8, "
      "8/8";
  EXPECT_EQ(decided({fewer}, kept).front().measured(), measured);
  EXPECT_EQ(decided({fewer}, read_scores(file, "x.csv", result.metrics)).front().measured(), measured);
  std::ranges::find(result.metrics, "bits", &MetricSpec::id)->headline = true;
  EXPECT_THAT(scores_csv(kept_scores({fewer}, result)), ::testing::Not(HasSubstr("bits.past")));
  for (Score& score : result.cells.front().scores)
    score.metric.band_of = score.metric.id == "bits.past" ? "bits" : "";
  EXPECT_THAT(scores_csv(kept_scores({fewer}, result)), HasSubstr("bits.past"));
  std::ranges::find(result.metrics, "bits.past", &MetricSpec::id)->headline = true;
  EXPECT_THAT(scores_csv(kept_scores({fewer}, result)), HasSubstr("bits.past"));
}

}  // namespace
}  // namespace ordinal::experiments
