#include "experiments/results/rank_correlation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

namespace ordinal::experiments {
namespace {

double tau(const std::vector<double>& x, const std::vector<double>& y) { return kendall_tau(x, y); }

TEST(KendallTau, IsOneForTheSameOrderAndMinusOneForTheReverse) {
  EXPECT_DOUBLE_EQ(tau({1, 2, 3, 4}, {10, 20, 25, 99}), 1.0);
  EXPECT_DOUBLE_EQ(tau({1, 2, 3, 4}, {4, 3, 2, 1}), -1.0);
}

// Five of six pairs agree, one does not.
TEST(KendallTau, CountsPairs) { EXPECT_DOUBLE_EQ(tau({1, 2, 3, 4}, {1, 3, 2, 4}), 4.0 / 6.0); }

// scipy.stats.kendalltau([12, 2, 1, 12, 2], [1, 4, 7, 1, 0])
TEST(KendallTau, CorrectsForTies) {
  EXPECT_NEAR(tau({12, 2, 1, 12, 2}, {1, 4, 7, 1, 0}), -0.4714045207910316, 1e-12);
}

TEST(KendallTau, NeedsTwoDifferentValues) {
  EXPECT_TRUE(std::isnan(tau({1}, {2})));
  EXPECT_TRUE(std::isnan(tau({1, 1, 1}, {1, 2, 3})));
  EXPECT_THROW(tau({1, 2}, {1}), std::invalid_argument);
}

}  // namespace
}  // namespace ordinal::experiments
