// Forgetting attention over long texts. Gradients and the cache are in tests/models/every_model_test.cpp, whole models
// against PyTorch in tests/experiments/training/parity_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/framework/positional/rig.h"

namespace ordinal {
namespace {

TEST(Forgetting, TrapSumsOverManyTokensKeepTheGatesOfNearOnesInFloat) {
  constexpr Index length = 50'000;
  testing::Rig<float> rig("forgetting", {.d_model = 2, .heads = 1, .n_kv_heads = 1, .layers = 1});
  std::ranges::fill(rig.values().flat(), 0.0F);
  rig.value("forgetting.0.bias")(0, 0) = -3.0F;
  rig.over(length)->encode_layer(Tensor<float>({length, 2}).view(), 0, rig.pass());
  const Tensor<float> bias = rig.scores({.first = length - 1});
  const double slope = std::log1p(std::exp(3.0));
  for (Index n = 0; n < 5; ++n) EXPECT_NEAR(bias(0, length - 1 - n), -slope * static_cast<double>(n), 2e-6);
}

// The two papers describe one function.
TEST(Cable, IsForgettingWithTheOppositeSign) {
  const auto bias = [](const std::string& name, double sign) {
    testing::Rig<> rig(name, {.d_model = 8, .heads = 2, .n_kv_heads = 2, .layers = 1});
    rig.randomize(3);
    for (double& value : rig.values().flat()) value *= sign;
    rig.over(9)->encode_layer(testing::normal_tensor({9, 8}).view(), 0, rig.pass());
    return rig.scores({.head = 1});
  };
  const Tensor<double> cable = bias("cable", -1.0);
  const Tensor<double> forgetting = bias("forgetting", 1.0);
  for (Index i = 0; i < 9; ++i)
    for (Index j = 0; j <= i; ++j) EXPECT_EQ(cable(i, j), forgetting(i, j));
  EXPECT_LT(cable(8, 0), -1.0);
}

}  // namespace
}  // namespace ordinal
