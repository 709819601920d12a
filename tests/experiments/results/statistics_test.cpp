// Expected numbers were computed with mpmath to 20 digits from the incomplete beta function.
#include "experiments/results/statistics.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace ordinal::experiments {
namespace {

TEST(StudentT, QuantilesAgreeWithPublishedTables) {
  EXPECT_NEAR(student_t_quantile(0.975, 1), 12.706204736174705, 1e-9);
  EXPECT_NEAR(student_t_quantile(0.975, 2), 4.302652729749464, 1e-10);
  EXPECT_NEAR(student_t_quantile(0.975, 4), 2.7764451051977944, 1e-10);
  EXPECT_NEAR(student_t_quantile(0.025, 4), -2.7764451051977944, 1e-10);
  EXPECT_NEAR(student_t_quantile(0.975, 1e6), 1.9599663, 1e-6);
}

TEST(StudentT, ArgumentsOutsideTheirRangeThrow) {
  EXPECT_THROW(student_t_quantile(1.0, 3), std::invalid_argument);
  EXPECT_THROW(student_t_quantile(0.0, 3), std::invalid_argument);
  EXPECT_THROW(student_t_quantile(0.5, 0), std::invalid_argument);
  EXPECT_THROW(student_t_quantile(std::nan(""), 3), std::invalid_argument);
}

TEST(Summarize, MeanSpreadAndInterval) {
  const std::array<double, 5> values{1.0, 2.0, 3.0, 4.0, 5.0};
  const Summary summary = summarize(values);
  EXPECT_EQ(summary.n, 5);
  EXPECT_DOUBLE_EQ(summary.mean, 3.0);
  EXPECT_NEAR(summary.sd, 1.5811388300841898, 1e-14);
  EXPECT_NEAR(summary.low, 1.0367568385224423, 1e-9);
  EXPECT_NEAR(summary.high, 4.9632431614775577, 1e-9);
}

TEST(Summarize, SmallSpreadAroundALargeMeanKeepsItsDigits) {
  const std::array<double, 3> values{1e9 + 1.0, 1e9 + 2.0, 1e9 + 3.0};
  EXPECT_NEAR(summarize(values).sd, 1.0, 1e-12);
}

TEST(Summarize, OneValueHasNoSpreadAndNoneHasNothing) {
  const std::array<double, 1> one{2.5};
  EXPECT_DOUBLE_EQ(summarize(one).mean, 2.5);
  EXPECT_TRUE(std::isnan(summarize(one).sd));
  EXPECT_TRUE(std::isnan(summarize(one).low));
  EXPECT_EQ(summarize({}).n, 0);
  EXPECT_TRUE(std::isnan(summarize({}).mean));
}

TEST(ComparePairs, PairingFindsASmallEffectUnderALargeSpread) {
  const std::array<double, 4> left{1.1, 5.2, 9.1, 13.2};
  const std::array<double, 4> right{1.0, 5.0, 9.0, 13.0};
  const PairedComparison pairs = compare_pairs(left, right);
  EXPECT_NEAR(pairs.effect, 0.15, 1e-12);
  EXPECT_NEAR(pairs.low, 0.0581306884, 1e-9);  // 0.15 - 3.182446 * 0.057735 / 2
  EXPECT_NEAR(pairs.high, 0.2418693116, 1e-9);
  EXPECT_NEAR(pairs.p, 0.0138468330, 1e-9);  // t = 5.196152, 3 degrees of freedom
  EXPECT_EQ(pairs.decision, Decision::holds);
  EXPECT_EQ(compare_pairs(right, left).decision, Decision::fails);
  EXPECT_NEAR(compare_pairs(right, left).p, pairs.p, 1e-12);
}

TEST(ComparePairs, NoiseIsUndecided) {
  const std::array<double, 3> left{1.0, 2.0, 3.0};
  const std::array<double, 3> right{1.5, 1.0, 3.2};
  const PairedComparison pairs = compare_pairs(left, right);
  EXPECT_EQ(pairs.decision, Decision::undecided);
  EXPECT_LT(pairs.low, 0.0);
  EXPECT_GT(pairs.high, 0.0);
  EXPECT_GT(pairs.p, 0.05);
}

TEST(ComparePairs, OneSeedDecidesNothing) {
  const std::array<double, 1> left{5.0};
  const std::array<double, 1> right{1.0};
  EXPECT_EQ(compare_pairs(left, right).decision, Decision::undecided);
  EXPECT_DOUBLE_EQ(compare_pairs(left, right).effect, 4.0);
}

TEST(ComparePairs, EqualDifferencesHaveNoSpread) {
  const std::array<double, 2> left{2.0, 3.0};
  const std::array<double, 2> right{1.0, 2.0};
  EXPECT_EQ(compare_pairs(left, right).decision, Decision::holds);
  EXPECT_EQ(compare_pairs(left, right).p, 0.0);
  EXPECT_EQ(compare_pairs(left, left).decision, Decision::undecided);
  EXPECT_EQ(compare_pairs(left, left).p, 1.0);
}

TEST(ComparePairs, SidesOfDifferentSizeThrow) {
  const std::array<double, 2> left{2.0, 3.0};
  EXPECT_THROW(compare_pairs(left, std::vector<double>{1.0}), std::invalid_argument);
}

// Five comparisons with p = 0.001, 0.008, 0.012, 0.04 and 0.5: against 0.05 / 5, / 4, / 3, / 2 and / 1 the
// first three are decided; the fourth is not, and then none after it.
TEST(Correct, StepsDownAsHolmDoes) {
  std::vector<PairedComparison> pairs;
  for (const double p : {0.04, 0.001, 0.5, 0.012, 0.008}) {
    PairedComparison one{.n = 10, .effect = 1.0, .sd = 0.0, .p = p};
    one.sd = std::sqrt(10.0) / student_t_quantile(1.0 - p / 2.0, 9.0);  // has this p
    pairs.push_back(one);
  }
  std::vector<PairedComparison*> all;
  for (PairedComparison& one : pairs) all.push_back(&one);
  correct(all);
  const auto decided = [&](std::size_t i) { return pairs[i].decision == Decision::holds; };
  EXPECT_FALSE(decided(0));
  EXPECT_TRUE(decided(1));
  EXPECT_FALSE(decided(2));
  EXPECT_TRUE(decided(3));
  EXPECT_TRUE(decided(4));
  for (const PairedComparison& one : pairs) EXPECT_EQ(one.low > 0.0, one.decision == Decision::holds);
  EXPECT_NEAR(pairs[1].high - 1.0, student_t_quantile(1.0 - 0.05 / 10.0, 9.0) * pairs[1].sd / std::sqrt(10.0),
              1e-12);

  correct(all, 100);  // the smallest p is not below 0.05 / 105
  for (std::size_t i = 0; i < pairs.size(); ++i) EXPECT_FALSE(decided(i)) << i;
}

TEST(Correct, LeavesWhatHasNoTestAlone) {
  PairedComparison one_seed = compare_pairs(std::vector<double>{1.0}, std::vector<double>{2.0});
  PairedComparison* all[] = {&one_seed};
  correct(all);
  EXPECT_EQ(one_seed.decision, Decision::undecided);
  EXPECT_TRUE(std::isnan(one_seed.low));
}

// 90 % interval of the mean of n = 4, sd = 0.1, effect 0.05: 0.05 ± 2.3534 · 0.05.
TEST(Equivalent, NeedsTheWholeIntervalWithinTheMargin) {
  const PairedComparison pairs{.n = 4, .effect = 0.05, .sd = 0.1};
  EXPECT_TRUE(equivalent(pairs, 0.1677));
  EXPECT_FALSE(equivalent(pairs, 0.1676));
  EXPECT_FALSE(equivalent({.n = 4, .effect = -0.05, .sd = 0.1}, 0.1676));
  EXPECT_FALSE(equivalent(pairs, 0.1677, 2)) << "two tests at half the level each";
  EXPECT_FALSE(equivalent({.n = 1, .effect = 0.0}, 10.0));
}

}  // namespace
}  // namespace ordinal::experiments
