// Expected numbers were computed with mpmath to 20 digits from the incomplete beta function.
#include "experiments/results/statistics.h"

#include <gtest/gtest.h>

#include <array>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace ordinal::experiments {
namespace {

TEST(Summarize, MeanSpreadAndInterval) {
  const std::array<double, 5> values{1.0, 2.0, 3.0, 4.0, 5.0};
  const Summary summary = summarize(values);
  EXPECT_EQ(summary.n, 5);
  EXPECT_DOUBLE_EQ(summary.mean, 3.0);
  EXPECT_NEAR(summary.sd, 1.5811388300841898, 1e-14);
  EXPECT_EQ(summary.low, 1.0);  // Student's interval, 1.037 to 4.963, widened to that of the sign test
  EXPECT_EQ(summary.high, 5.0);
  const Summary three = summarize(std::array<double, 3>{1.0, 2.0, 3.0});
  EXPECT_NEAR(three.low, -0.48413771, 1e-8);  // 2 ± 4.30265273 / √3
  EXPECT_NEAR(three.high, 4.48413771, 1e-8);
}

// The tables of the sign test: the smallest of 7 values (the second: 0.125), the second of 8 (0.070), the third of 10 (0.109), the
// tenth of 30 (0.043).
TEST(ComparePairs, TheSignTestLeavesOutWhatItMay) {
  for (const auto& [n, from] : {std::pair{5, 1}, {7, 1}, {8, 2}, {10, 3}, {30, 10}}) {
    std::vector<double> values;
    for (int i = 1; i <= n; ++i) values.push_back(i);
    const PairedComparison pairs = compare_pairs(values, std::vector<double>(values.size(), 0.0));
    EXPECT_EQ(pairs.typical.low, from) << n;
    EXPECT_EQ(pairs.typical.high, n + 1 - from) << n;
  }
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

// scipy.stats.beta.ppf(0.025, k, n - k + 1) and (0.975, k + 1, n - k).
TEST(ClopperPearson, AgreesWithTheBetaDistribution) {
  EXPECT_NEAR(clopper_pearson(5, 5).low, 0.47817624, 1e-8);  // 0.025^(1/5)
  EXPECT_EQ(clopper_pearson(5, 5).high, 1.0);
  EXPECT_EQ(clopper_pearson(0, 5).low, 0.0);
  EXPECT_NEAR(clopper_pearson(0, 5).high, 0.52182376, 1e-8);
  EXPECT_NEAR(clopper_pearson(4, 5).low, 0.28358206, 1e-8);
  EXPECT_NEAR(clopper_pearson(4, 5).high, 0.99494924, 1e-8);
  EXPECT_NEAR(clopper_pearson(27, 30, 0.1).low, 0.76140214, 1e-8);
  EXPECT_EQ(clopper_pearson(0, 0).low, 0.0);
  EXPECT_EQ(clopper_pearson(0, 0).high, 1.0);
  EXPECT_THROW(clopper_pearson(3, 2), std::invalid_argument);
  EXPECT_THROW(clopper_pearson(-1, 2), std::invalid_argument);
}

// scipy.stats.binomtest(k, n).pvalue
TEST(CompareWithHalf, IsTheBinomialTest) {
  EXPECT_DOUBLE_EQ(compare_with_half(5, 5).p, 0.0625);
  EXPECT_EQ(compare_with_half(5, 5).decision, Decision::undecided);
  EXPECT_DOUBLE_EQ(compare_with_half(6, 6).p, 0.03125);
  EXPECT_EQ(compare_with_half(6, 6).decision, Decision::holds);
  EXPECT_EQ(compare_with_half(0, 6).decision, Decision::fails);
  EXPECT_NEAR(compare_with_half(2, 10).p, 0.109375, 1e-12);
  EXPECT_NEAR(compare_with_half(2, 10).effect, -0.3, 1e-12);
  EXPECT_EQ(compare_with_half(5, 10).p, 1.0);
  EXPECT_EQ(compare_with_half(0, 0).decision, Decision::undecided);
  EXPECT_TRUE(std::isnan(compare_with_half(0, 0).p));
  EXPECT_THROW(compare_with_half(3, 2), std::invalid_argument);
  EXPECT_THROW(compare_with_half(-1, 2), std::invalid_argument);
  EXPECT_THROW(compare_with_half(1, 0), std::invalid_argument);
  EXPECT_FALSE(compare_with_half(6, 6).has_no_spread());
}

// The interval has the corrected level of the test, so it excludes 1/2 exactly where p is below that level.
TEST(CompareWithHalf, HasTheIntervalOfItsTest) {
  PairedComparison eight = compare_with_half(8, 8);  // p = 2/256 = 0.0078
  PairedComparison* one = &eight;
  correct(std::span(&one, 1), 5);  // 0.05 / 6 = 0.0083
  EXPECT_EQ(eight.decision, Decision::holds);
  EXPECT_NEAR(eight.low, std::pow(0.05 / 12.0, 1.0 / 8.0) - 0.5, 1e-9);
  correct(std::span(&one, 1), 6);
  EXPECT_EQ(eight.decision, Decision::undecided);
}

TEST(Summarize, IntervalsStayInRange) {
  const std::vector<double> accuracies{0.999, 0.97, 0.99};
  EXPECT_GT(summarize(accuracies).high, 1.0);
  EXPECT_LT(summarize(accuracies, Range::fraction).high, 1.0);
  EXPECT_LT(summarize(accuracies, Range::fraction).low, 0.97);
  const std::vector<double> errors{0.001, 0.03, 0.01};
  EXPECT_LT(summarize(errors).low, 0.0);
  EXPECT_GT(summarize(errors, Range::positive).low, 0.0);
  EXPECT_NEAR(summarize(errors, Range::fraction).low, 1.0 - summarize(accuracies, Range::fraction).high,
              1e-12);
}

TEST(Summarize, IntervalsNeedThreeValuesAndASpread) {
  EXPECT_TRUE(std::isnan(summarize(std::vector<double>{-2.0, 0.5}).low));
  EXPECT_FALSE(std::isnan(summarize(std::vector<double>{-2.0, 0.5, 1.0}).low));
  EXPECT_TRUE(std::isnan(summarize(std::vector<double>{1.0, 1.0, 1.0}, Range::fraction).low));
}

TEST(ComparePairs, PairingFindsASmallEffectUnderALargeSpread) {
  const std::array<double, 4> left{1.1, 5.2, 9.1, 13.2};
  const std::array<double, 4> right{1.0, 5.0, 9.0, 13.0};
  const PairedComparison pairs = compare_pairs(left, right);
  EXPECT_NEAR(pairs.effect, 0.15, 1e-12);
  EXPECT_NEAR(pairs.low, 0.0494859520, 1e-9);  // 0.15 - t(0.98, 3) 3.4819088 * 0.0577350 / 2
  EXPECT_NEAR(pairs.high, 0.2505140480, 1e-9);
  EXPECT_NEAR(pairs.p, 1.25 * 0.0138468330, 1e-9);  // t = 5.196152, 3 degrees of freedom
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

TEST(ComparePairs, TwoSeedsDecideNothing) {
  const std::vector<double> left{5.0, 5.1};
  const std::vector<double> right{1.0, 1.2};
  const PairedComparison pairs = compare_pairs(left, right);
  EXPECT_EQ(pairs.decision, Decision::undecided);
  EXPECT_NEAR(pairs.effect, 3.95, 1e-12);
  EXPECT_TRUE(std::isnan(pairs.low));
  EXPECT_TRUE(std::isnan(pairs.p));
  EXPECT_FALSE(equivalent(pairs, 100.0));
}

// Also where the differences are equal but for rounding: 1 - 0.9 and 0.5 - 0.4.
TEST(ComparePairs, DifferencesWithoutSpreadDecideNothing) {
  const std::vector<double> left{1.0, 0.5, 1.0, 1.0, 1.0};
  const std::vector<double> right{0.9, 0.4, 0.9, 0.9, 0.9};
  const PairedComparison pairs = compare_pairs(left, right);
  EXPECT_TRUE(pairs.has_no_spread());
  EXPECT_EQ(pairs.decision, Decision::undecided);
  EXPECT_TRUE(std::isnan(pairs.low));
  EXPECT_TRUE(compare_pairs(left, left).has_no_spread());
  EXPECT_FALSE(equivalent(compare_pairs(left, left), 0.1));
}

// t = 3.2 with 5 pairs, p = 0.033; but one seed says otherwise.
TEST(ComparePairs, FewSeedsMustAgree) {
  const std::vector<double> zero(5, 0.0);
  const PairedComparison pairs = compare_pairs(std::vector<double>{-0.02, 0.6, 0.9, 1.0, 1.1}, zero);
  EXPECT_LT(pairs.p, 0.05);
  EXPECT_EQ(pairs.low, -0.02);
  EXPECT_EQ(pairs.decision, Decision::undecided);
  EXPECT_EQ(compare_pairs(std::vector<double>{0.02, 0.6, 0.9, 1.0, 1.1}, zero).decision, Decision::holds);
}

// Seven of thirty seeds fail. Their mean is far below zero; the typical seed is above.
TEST(ComparePairs, AFewFailuresDoNotTurnTheTypicalSeed) {
  std::vector<double> differences(30);
  for (std::size_t i = 0; i < 30; ++i) differences[i] = i < 7 ? -1.0 : 0.01 + 0.001 * static_cast<double>(i);
  const PairedComparison pairs = compare_pairs(differences, std::vector<double>(30, 0.0));
  EXPECT_LT(pairs.effect, 0.0);
  EXPECT_LT(pairs.p, 0.05);
  EXPECT_EQ(pairs.decision, Decision::undecided);
}

TEST(ComparePairs, SidesOfDifferentSizeThrow) {
  const std::array<double, 2> left{2.0, 3.0};
  EXPECT_THROW(compare_pairs(left, std::vector<double>{1.0}), std::invalid_argument);
}

// Five comparisons with p = 0.001, 0.008, 0.012, 0.04 and 0.5: against 0.05 / 5, / 4, / 3, / 2 and / 1 the
// first three are decided; the fourth is not, and then none after it.
TEST(Correct, StepsDownAsHolmDoes) {
  const auto student = [](double probability) {
    return boost::math::quantile(boost::math::students_t(9.0), probability);
  };
  std::vector<PairedComparison> pairs;
  for (const double p : {0.04, 0.001, 0.5, 0.012, 0.008}) {
    PairedComparison one{.n = 10, .effect = 1.0, .sd = 0.0, .p = p};
    one.sd = std::sqrt(10.0) / student(1.0 - p / 2.0);  // has this p
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
  EXPECT_NEAR(pairs[1].high - 1.0, student(1.0 - 0.05 / 10.0) * pairs[1].sd / std::sqrt(10.0), 1e-12);

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

// 90 % interval of the mean of n = 5, sd = 0.1, effect 0.05: 0.05 ± 2.1318 · 0.0447214.
TEST(Equivalent, NeedsTheWholeIntervalWithinTheMargin) {
  const PairedComparison pairs{.n = 5, .effect = 0.05, .sd = 0.1};
  EXPECT_TRUE(equivalent(pairs, 0.14534));
  EXPECT_FALSE(equivalent(pairs, 0.14533));
  EXPECT_FALSE(equivalent({.n = 5, .effect = -0.05, .sd = 0.1}, 0.14533));
  EXPECT_FALSE(equivalent(pairs, 0.14534, 2)) << "two tests at half the level each";
  EXPECT_FALSE(equivalent({.n = 1, .effect = 0.0}, 10.0));
  EXPECT_FALSE(equivalent({.n = 5, .effect = 0.05, .sd = 0.1, .typical = {-0.1, 0.15}}, 0.14534));
}

}  // namespace
}  // namespace ordinal::experiments
