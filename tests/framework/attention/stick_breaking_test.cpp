// The weights of stick-breaking attention. Their formula and gradient: attention_with_encodings_test.cpp, branch_fixture_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "framework/attention/attention_weights.h"
#include "framework/core/errors.h"
#include "framework/layers/layer_registry.h"

namespace ordinal {
namespace {

template <typename T>
std::vector<T> weights(std::vector<T> scores) {
  ParameterLayout layout;
  const auto method = attention_weights().find("stick_breaking").build.of<T>()(1, Scope(layout));
  const Parameters<T> none(layout);
  Pass<T> pass(none);
  ScoreBlock<T> block{};
  block.first_query = std::ssize(scores) - 1;
  Tensor<T> sums({1, 2});
  method->forward(block, View<T>(scores.data(), 1, std::ssize(scores)), sums.view(), pass);
  return scores;
}

TEST(StickBreaking, TrapLargeScoresNeitherOverflowNorLoseTheRest) {
  const std::vector<float> w = weights<float>({1e4F, -1e4F, 1e4F, -1e4F, 0.0F});
  EXPECT_FLOAT_EQ(w[2], 1.0F);
  EXPECT_EQ(w[0] + w[1] + w[3] + w[4], 0.0F);
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
