// Forgetting attention: what gates do to scores. Gradients and the cache are in contract_test.cpp, whole models
// against PyTorch in tests/experiments/training/parity_test.cpp.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/framework/positional/rig.h"

namespace ordinal {
namespace {

// What is added to the scores of the last `rows` queries, where token t has the gate σ(logits[t] + bias) in head 1
// and σ(bias) in head 0.
template <typename T>
Tensor<T> added(const std::vector<T>& logits, T bias, Index head, Index rows) {
  testing::Rig<T> rig("forgetting", {.d_model = 2, .heads = 2, .n_kv_heads = 2, .layers = 1});
  std::ranges::fill(rig.values().flat(), T(0));
  rig.value("forgetting.0.weight")(1, 0) = T(1);
  for (const Index h : {0, 1}) rig.value("forgetting.0.bias")(0, h) = bias;
  const Index length = std::ssize(logits);
  Tensor<T> x({length, 2});
  for (Index t = 0; t < length; ++t) x(t, 0) = logits[static_cast<std::size_t>(t)];
  rig.over(length)->encode_layer(x.view(), 0, rig.pass());
  return rig.scores({.head = head, .first = length - rows});
}

// -ln σ(b) is then the slope of ALiBi.
TEST(Forgetting, WithEqualGatesIsALinearPenalty) {
  const Tensor<double> bias = added<double>(std::vector<double>(9), 1.5, 0, 9);
  const double slope = std::log1p(std::exp(-1.5));
  for (Index i = 0; i < 9; ++i) {
    for (Index j = 0; j <= i; ++j) EXPECT_NEAR(bias(i, j), -slope * static_cast<double>(i - j), 1e-13);
  }
}

TEST(Forgetting, AClosedGateHidesWhatCameBeforeItsTokenAndNotTheToken) {
  std::vector<double> logits(6, 50.0);
  logits[3] = -1000.0;
  const Tensor<double> bias = added<double>(logits, 0.0, 1, 6);
  EXPECT_NEAR(bias(2, 0), 0.0, 1e-12);
  for (Index i = 3; i < 6; ++i) {
    for (Index j = 0; j < 3; ++j) EXPECT_NEAR(bias(i, j), -1000.0, 1e-9);
    for (Index j = 3; j <= i; ++j) EXPECT_NEAR(bias(i, j), 0.0, 1e-12);
  }
}

TEST(Forgetting, TrapSumsOverManyTokensKeepTheGatesOfNearOnesInFloat) {
  const std::vector<float> logits(50000, 0.0F);
  const Tensor<float> bias = added<float>(logits, -3.0F, 0, 1);
  const double slope = std::log1p(std::exp(3.0));
  for (Index n = 0; n < 5; ++n) EXPECT_NEAR(bias(0, 49999 - n), -slope * static_cast<double>(n), 2e-6) << n;
}

}  // namespace
}  // namespace ordinal
