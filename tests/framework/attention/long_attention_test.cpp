// Attention over lengths around its thresholds, against loops over whole rows of scores, in both precisions, in parts with a
// cache, and its gradient. The thresholds: 64 queries (a block, and from where keys and values are copied), 256 tokens (weights
// are kept for backward), whole vectors of a row of weights (8 in double, 16 in float).
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "tests/framework/attention/scene.h"
#include "tests/framework/largest_difference.h"

namespace ordinal {
namespace {

using testing::largest_difference;
using testing::Scene;
using testing::SceneIn;
using testing::SceneOf;

void expect_the_loops(SceneOf of) {
  of.block_rows = AttentionBlocks().rows;
  const std::string what =
      fmt::format("{}, {}, window {}, softcap {}, {} key heads, {} tokens{}", of.encoding, of.own.weights,
                  of.own.window, of.own.softcap, of.kv_heads, of.length, of.evenly ? ", evenly" : "");
  Scene scene(of);
  const Tensor<double> expected = scene.by_loops({.window = of.own.window});
  EXPECT_LT(largest_difference(scene.by_layer({}), expected), 1e-11) << what;
  if (of.causal) {
    for (const Index step : {64, 65})
      EXPECT_LT(largest_difference(scene.by_layer({}, step), expected), 1e-11)
          << what << " in runs of " << step;
  }
  EXPECT_LT(largest_difference(SceneIn<float>(of).by_layer({}).span(), expected.span()), 1e-4) << what;
  EXPECT_LT(scene.gradient_error(), 1e-2) << what;
}

class LongAttention : public ::testing::TestWithParam<Index> {};

TEST_P(LongAttention, EqualsTheLoopsWithAnyWeightsWindowAndKeyHeads) {
  for (const std::string& weights : attention_weights().names()) {
    for (const Index window : {0, 16, 70}) {
      for (const Index kv_heads : {4, 1})
        expect_the_loops(
            {.own = {.weights = weights, .window = window}, .kv_heads = kv_heads, .length = GetParam()});
    }
  }
  expect_the_loops({.causal = false, .length = GetParam()});
  expect_the_loops({.own = {.window = 70, .softcap = 2.0}, .length = GetParam()});
}

INSTANTIATE_TEST_SUITE_P(Lengths, LongAttention,
                         ::testing::Values(60, 63, 64, 65, 79, 80, 127, 128, 129, 192, 255, 256, 257, 300),
                         [](const auto& info) { return std::to_string(info.param); });

class LongAttentionWith : public ::testing::TestWithParam<std::string> {};

TEST_P(LongAttentionWith, TheEncodingEqualsTheLoops) {
  for (const Index length : {64, 65, 130}) {
    for (const bool evenly : {true, false})
      expect_the_loops({.encoding = GetParam(), .length = length, .evenly = evenly});
    expect_the_loops({.encoding = GetParam(), .own = {.window = 40}, .length = length});
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, LongAttentionWith, ::testing::ValuesIn(encodings().names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace ordinal
