// Expected numbers were computed with mpmath to 20 digits from the incomplete beta function.
#include "experiments/report/statistics.h"

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

}  // namespace
}  // namespace ordinal::experiments
