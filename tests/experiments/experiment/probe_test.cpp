// How a model uses positions: shares of attention by distance, and the linear probe.
#include "experiments/experiment/probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "framework/core/random.h"

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

// Random activations of a width of 6; column 2 holds `gain` times the position beside the noise.
ProbeSample sample(std::uint64_t seed, double gain) {
  ProbeSample result{Tensor<double>({200, 6}), {}};
  Random random({.seed = seed});
  for (double& value : result.activations.span()) value = random.normal();
  for (Index t = 0; t < 200; ++t) {
    result.positions.push_back(static_cast<double>(t % 50));
    result.activations(t, 2) += gain * result.positions.back();
    result.activations(t, 4) = 7.0;  // a column that never changes
  }
  return result;
}

TEST(PositionProbe, ReadsAPositionThatIsThere) {
  EXPECT_GT(position_probe(sample(1, 1000.0), sample(2, 1000.0), 1e-9), 0.999999);
  EXPECT_NEAR(position_probe(sample(1, 1.0), sample(2, 1.0)), 1.0 - 1.0 / (1.0 + 208.25),
              0.02);  // 1/(1 + Var p)
}

// The intercept is learned, too: positions that are all 1000 higher than in the fit are read as 1000 too low.
TEST(PositionProbe, KnowsNothingOfTheHeldOutPositions) {
  ProbeSample moved = sample(2, 1000.0);
  for (double& position : moved.positions) position += 1000.0;
  EXPECT_LT(position_probe(sample(1, 1000.0), moved), -1000.0);
}

TEST(PositionProbe, ReadsNothingOutOfNoise) {
  EXPECT_LT(position_probe(sample(1, 0.0), sample(2, 0.0)), 0.05);
}

// The share of a variance of 0 is not a number.
TEST(PositionProbe, OfASinglePositionIs0) {
  ProbeSample same = sample(2, 1.0);
  std::ranges::fill(same.positions, 3.0);
  EXPECT_EQ(position_probe(sample(1, 1.0), same), 0.0);
}

TEST(PositionProbe, RefusesSamplesThatDoNotFit) {
  ProbeSample narrow{Tensor<double>({3, 2}), {0, 1, 2}};
  EXPECT_THROW(position_probe(sample(1, 1.0), narrow), std::invalid_argument);
  narrow.positions.pop_back();
  EXPECT_THROW(position_probe(narrow, narrow), std::invalid_argument);
}

}  // namespace
}  // namespace ordinal::experiments
