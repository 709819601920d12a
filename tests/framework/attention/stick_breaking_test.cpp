// The weights of stick-breaking attention. As a branch, with gradients and against PyTorch: branch_test.cpp.
#include "framework/attention/stick_breaking.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "framework/core/errors.h"
#include "framework/core/random.h"
#include "framework/layers/layer_registry.h"

namespace ordinal {
namespace {

template <typename T>
std::vector<T> weights(std::vector<T> scores) {
  stick_breaking(scores.data(), std::ssize(scores));
  return scores;
}

// σ(0) = 1/2 and σ(ln 3) = 3/4: the nearest key takes 3/4, the next one half of the rest, the own token what is left.
TEST(StickBreaking, EachKeyTakesItsShareOfWhatNearerOnesLeave) {
  const std::vector<double> w = weights<double>({0.0, std::log(3.0), 123.0});
  EXPECT_NEAR(w[1], 0.75, 1e-15);
  EXPECT_NEAR(w[0], 0.125, 1e-15);
  EXPECT_NEAR(w[2], 0.125, 1e-15);
}

TEST(StickBreaking, WeightsSumToOneAndTheOwnScoreDoesNotMatter) {
  Random random({.seed = 1});
  std::vector<double> scores(300);
  for (double& score : scores) score = 3.0 * random.normal() - 4.0;
  const std::vector<double> w = weights(scores);
  EXPECT_NEAR(std::accumulate(w.begin(), w.end(), 0.0), 1.0, 1e-12);
  scores.back() += 10.0;
  EXPECT_EQ(weights(scores), w);
  EXPECT_EQ(weights<double>({5.0}), std::vector<double>{1.0});
}

// Where scores are equal, near keys win: the recency bias of the paper.
TEST(StickBreaking, EqualScoresFallGeometricallyWithDistance) {
  const std::vector<double> w = weights<double>(std::vector<double>(8, -1.0));
  const double left = 1.0 / (1.0 + std::exp(-1.0));
  for (std::size_t j = 0; j + 2 < w.size(); ++j) EXPECT_NEAR(w[j] / w[j + 1], left, 1e-12);
}

TEST(StickBreaking, TrapLargeScoresNeitherOverflowNorLoseTheRest) {
  const std::vector<float> w = weights<float>({1e4F, -1e4F, 1e4F, -1e4F, 0.0F});
  EXPECT_FLOAT_EQ(w[2], 1.0F);
  EXPECT_EQ(w[0] + w[1] + w[3] + w[4], 0.0F);
}

TEST(StickBreaking, BackwardIsTheGradient) {
  Random random({.seed = 2});
  std::vector<double> scores(7);
  std::vector<double> up(7);
  for (double& score : scores) score = random.normal();
  for (double& d : up) d = random.normal();
  const auto loss = [&](const std::vector<double>& z) {
    const std::vector<double> w = weights(z);
    return std::inner_product(w.begin(), w.end(), up.begin(), 0.0);
  };
  std::vector<double> w = scores;
  std::vector<double> d = up;
  std::vector<double> scratch(7);
  stick_breaking_backward(w.data(), d.data(), scratch.data(), 7);
  EXPECT_EQ(w, weights(scores));
  for (std::size_t j = 0; j < 7; ++j) {
    std::vector<double> above = scores;
    std::vector<double> below = scores;
    above[j] += 1e-6;
    below[j] -= 1e-6;
    EXPECT_NEAR(d[j], (loss(above) - loss(below)) / 2e-6, 1e-9) << j;
  }
}

TEST(StickBreaking, IsRefusedInABidirectionalModel) {
  ParameterLayout layout;
  const ModelShape shape{.causal = false};
  EXPECT_THAT(
      [&] {
        make_layer<float>(LayerKind::branch, "attention(weights=stick_breaking)",
                          {.width = 64, .shape = shape}, Scope(layout, "attention"));
      },
      ::testing::ThrowsMessage<ConfigError>(::testing::HasSubstr("defined only in a causal model")));
}

}  // namespace
}  // namespace ordinal
