#include "experiments/experiment/figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>

namespace ordinal::experiments {
namespace {

using ::testing::ElementsAre;

TEST(AttentionDistances, AreSharesOfTheWholeAttention) {
  const Tensor<double> map({3, 3}, std::vector<double>{1.0, 0.0, 0.0, 0.5, 0.5, 0.0, 0.25, 0.25, 0.5});
  EXPECT_THAT(attention_distances(map), ElementsAre(2.0 / 3.0, 0.25, 0.25 / 3.0));
  const std::vector<double> shares = attention_distances(map);
  EXPECT_NEAR(std::accumulate(shares.begin(), shares.end(), 0.0), 1.0, 1e-15);
}

TEST(AttentionDistances, OfBothSidesAreOne) {
  const Tensor<double> map({2, 2}, std::vector<double>{0.25, 0.75, 0.5, 0.5});
  EXPECT_THAT(attention_distances(map), ElementsAre(0.375, 0.625));
  EXPECT_THROW(attention_distances(Tensor<double>({2, 3})), std::invalid_argument);
}

}  // namespace
}  // namespace ordinal::experiments
