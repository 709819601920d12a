// The weights of stick-breaking attention. Their formula and gradient: attention_with_encodings_test.cpp, branch_fixture_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "framework/attention/attention_weights.h"
#include "framework/core/errors.h"
#include "framework/layers/layer_registry.h"

namespace ordinal {
namespace {

std::vector<float> weights(std::vector<float> scores) {
  ParameterLayout layout;
  const auto method =
      std::get<WeightsBuilder<float>>(attention_weights().find("stick_breaking").build)(1, Scope(layout));
  const Parameters<float> none(layout);
  Pass<float> pass(none);
  ScoreBlock<float> block{};
  block.first_query = std::ssize(scores) - 1;
  Tensor<float> sums({1, 2});
  method->forward(block, View<float>(scores.data(), 1, std::ssize(scores)), sums.view(), pass);
  return scores;
}

TEST(StickBreaking, TrapLargeScoresNeitherOverflowNorLoseTheRest) {
  std::vector<float> scores(100, -1e4F);  // more than the keys that it takes at a time
  scores[95] = scores[97] = 1e4F;
  const std::vector<float> w = weights(scores);
  EXPECT_FLOAT_EQ(w[97], 1.0F);
  EXPECT_EQ(std::ranges::count(w, 0.0F), 99);
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
