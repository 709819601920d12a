// Expected numbers of the sign test are counted by hand: 2^-n times binomial coefficients.
#include "experiments/results/statistics.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace ordinal::experiments {
namespace {

// 1, 2, …, n, of which the first `behind` are negative.
std::vector<double> differences(Index n, Index behind) {
  std::vector<double> values;
  for (Index i = 1; i <= n; ++i) values.push_back(static_cast<double>(i <= behind ? -i : i));
  return values;
}

std::vector<Comparison> decided(std::vector<Comparison> family) {
  std::vector<Comparison*> all;
  for (Comparison& one : family) all.push_back(&one);
  decide(all);
  return family;
}

Comparison decided(const std::vector<double>& values) {
  return decided(std::vector{compare(values)}).front();
}

TEST(Summarize, MeanSpreadAndRange) {
  const Summary summary = summarize(std::array<double, 5>{1.0, 2.0, 3.0, 4.0, 5.0});
  EXPECT_EQ(summary.n, 5);
  EXPECT_DOUBLE_EQ(summary.mean, 3.0);
  EXPECT_NEAR(summary.sd, 1.5811388300841898, 1e-14);
  EXPECT_EQ(summary.lowest, 1.0);
  EXPECT_EQ(summary.highest, 5.0);
  EXPECT_TRUE(std::isnan(summary.median.low)) << "2 · 2^-5 is above 5 %";
}

TEST(Summarize, SmallSpreadAroundALargeMeanKeepsItsDigits) {
  const std::array<double, 3> values{1e9 + 1.0, 1e9 + 2.0, 1e9 + 3.0};
  EXPECT_NEAR(summarize(values).sd, 1.0, 1e-12);
}

TEST(Summarize, OneValueHasNoSpreadAndNoneHasNothing) {
  EXPECT_DOUBLE_EQ(summarize(std::array<double, 1>{2.5}).mean, 2.5);
  EXPECT_TRUE(std::isnan(summarize(std::array<double, 1>{2.5}).sd));
  EXPECT_EQ(summarize({}).n, 0);
  EXPECT_TRUE(std::isnan(summarize({}).mean));
}

// scipy.stats.beta.ppf(0.025, k, n - k + 1) and (0.975, k + 1, n - k).
TEST(ClopperPearson, AgreesWithTheBetaDistribution) {
  EXPECT_NEAR(clopper_pearson(5, 5).low, 0.47817624, 1e-8);  // 0.025^(1/5)
  EXPECT_EQ(clopper_pearson(5, 5).high, 1.0);
  EXPECT_EQ(clopper_pearson(0, 5).low, 0.0);
  EXPECT_NEAR(clopper_pearson(0, 5).high, 0.52182376, 1e-8);
  EXPECT_NEAR(clopper_pearson(4, 5).low, 0.28358206, 1e-8);
  EXPECT_NEAR(clopper_pearson(4, 5).high, 0.99494924, 1e-8);
  EXPECT_EQ(clopper_pearson(0, 0).low, 0.0);
  EXPECT_EQ(clopper_pearson(0, 0).high, 1.0);
}

// The tables of the sign test: at 5 % the smallest of 6 values, the second of 9, the tenth of 30.
TEST(MedianInterval, IsFromOrderStatistics) {
  for (const auto& [n, from] : {std::pair{6, 1}, {8, 1}, {9, 2}, {10, 2}, {12, 3}, {30, 10}}) {
    const Interval interval = median_interval(differences(n, 0));
    EXPECT_EQ(interval.low, from) << n;
    EXPECT_EQ(interval.high, n + 1 - from) << n;
  }
  EXPECT_EQ(median_interval(differences(10, 0), 0.002).low, 1.0);  // 2 · 2^-10 = 0.00195
  EXPECT_TRUE(std::isnan(median_interval(differences(10, 0), 0.0019).low));
  EXPECT_TRUE(std::isnan(median_interval({}).low));
}

TEST(SignTest, CountsSeeds) {
  EXPECT_DOUBLE_EQ(compare(differences(5, 0)).p(), 0.0625);
  EXPECT_DOUBLE_EQ(compare(differences(10, 0)).p(), 2.0 / 1024.0);
  EXPECT_DOUBLE_EQ(compare(differences(10, 10)).p(), 2.0 / 1024.0);
  EXPECT_DOUBLE_EQ(compare(differences(10, 2)).p(), 2.0 * (1 + 10 + 45) / 1024.0);
  EXPECT_EQ(compare(differences(10, 5)).p(), 1.0);
  EXPECT_EQ(compare({}).p(), 1.0);
  EXPECT_EQ(decided(differences(6, 0)).decision, Decision::holds);
  EXPECT_EQ(decided(differences(6, 6)).decision, Decision::fails);
  EXPECT_EQ(decided(differences(6, 1)).decision, Decision::undecided);
  EXPECT_EQ(decided(differences(0, 0)).decision, Decision::undecided);
}

// Two rows that are perfect in every seed are not told apart, in either direction; nor are 1 - 0.9 and 0.1.
TEST(SignTest, SeedsInWhichBothAreEqualCountForNeither) {
  const Comparison equal = decided(std::vector<double>(10, 0.0));
  EXPECT_EQ(equal.p(), 1.0);
  EXPECT_EQ(equal.decision, Decision::undecided);
  EXPECT_EQ(decided(std::vector<double>(10, (1.0 - 0.9) - 0.1)).decision, Decision::undecided);
  std::vector<double> half = differences(10, 0);
  for (std::size_t i = 0; i < 5; ++i) half[i] = 0.0;
  EXPECT_EQ(decided(half).ahead, 5);
  EXPECT_EQ(decided(half).p(), 1.0);
}

TEST(Comparison, SeenFromTheOtherSideIsTheSame) {
  const Comparison one = decided(differences(9, 1));
  const Comparison other = one.turned();
  EXPECT_EQ(one.median(), 5.0);
  EXPECT_EQ(other.median(), -5.0);
  EXPECT_EQ(other.ahead, 1);
  EXPECT_EQ(other.interval.low, -one.interval.high);
  EXPECT_EQ(one.decision, Decision::holds);
  EXPECT_EQ(other.decision, Decision::fails);
  EXPECT_EQ(compare(differences(4, 0)).median(), 2.5);
  EXPECT_TRUE(std::isnan(compare({}).median()));
}

// In every outcome of up to 14 seeds and at every level of a family.
TEST(Decide, IsTheSameAsAnIntervalOnOneSideOfZero) {
  for (Index n = 1; n <= 14; ++n) {
    for (Index behind = 0; behind <= n; ++behind) {
      for (std::size_t family = 1; family <= 15; ++family) {
        std::vector<Comparison> with_ties(family, compare({0.0}));
        with_ties.front() = compare(differences(n, behind));
        const Comparison one = decided(with_ties).front();
        EXPECT_EQ(one.interval.low > 0.0, one.decision == Decision::holds) << n << " " << behind;
        EXPECT_EQ(one.interval.high < 0.0, one.decision == Decision::fails) << n << " " << behind;
      }
    }
  }
}

// p = 0.0020, 0.0215, 0.0215 and 0.34 of ten seeds, against 0.05 / 4, / 3, …: the first is decided; the second is not, and then
// none after it, although 0.0215 is below 0.05 / 2.
TEST(Decide, StepsDownAsHolmDoes) {
  std::vector<Comparison> family;
  for (const Index behind : {1, 0, 3, 1}) family.push_back(compare(differences(10, behind)));
  family = decided(family);
  EXPECT_EQ(family[1].decision, Decision::holds);
  for (const std::size_t i : {0U, 2U, 3U}) EXPECT_EQ(family[i].decision, Decision::undecided) << i;
  EXPECT_EQ(family[1].interval.low, 1.0);   // at 0.0125: the smallest
  EXPECT_EQ(family[0].interval.low, -1.0);  // at 0.0167: the smallest
  EXPECT_EQ(decided({family[1], family[0]})[1].decision, Decision::holds)
      << "0.0215 against 0.05, after one that is decided";
}

// Three with the same p have the same level, 0.05 / 3, in whatever order they are given.
TEST(Decide, GivesEqualComparisonsOneLevel) {
  for (const Comparison& one : decided(std::vector(3, compare(differences(10, 0))))) {
    EXPECT_EQ(one.interval.low, 1.0)
        << "the smallest difference: the second smallest needs a level of 0.0215";
    EXPECT_EQ(one.decision, Decision::holds);
  }
}

TEST(SeedsToDecide, AreThoseWhoseAgreementIsEnough) {
  EXPECT_EQ(seeds_to_decide(1), 6);
  EXPECT_EQ(seeds_to_decide(6), 8);
  EXPECT_EQ(seeds_to_decide(12), 9);
  EXPECT_EQ(seeds_to_decide(25), 10);
  EXPECT_EQ(seeds_to_decide(26), 11);
}

TEST(SeedsToDecide, OfAnUndecidedPairKeepItsShare) {
  Comparison pair = compare({1, 1, 1, 1, 1, 1, 1, 1, 1, -1});
  EXPECT_EQ(seeds_to_decide(pair, 12), 13) << "2 · P(Bin(13, 1/2) <= 1) = 0.0034, at most 0.05 / 12";
  EXPECT_EQ(seeds_to_decide(pair.turned(), 12), 13);
  EXPECT_EQ(seeds_to_decide(compare({1, 1, 1, 0}), 1), 17) << "a tie is for neither side";
  pair.looks = 2;
  EXPECT_EQ(seeds_to_decide(pair, 6), 13) << "of twice the level, for the second time";
  EXPECT_EQ(seeds_to_decide(compare({1, -1}), 1), 0);
}

}  // namespace
}  // namespace ordinal::experiments
