// Attention with every encoding, under windows and log-n scores, with and without a cache, against loops over whole rows of
// scores. Each with all kinds of weights.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "tests/framework/attention/scene.h"
#include "tests/framework/largest_difference.h"

namespace ordinal {
namespace {

using testing::largest_difference;
using testing::Scene;

TEST(SelfAttention, EqualsTheLoopsForAnyKeyHeadsDirectionAndBlocks) {
  for (const Index kv_heads : {4, 2, 1}) {
    for (const bool causal : {true, false}) {
      for (const Index block_rows : {3, 13, 64}) {
        Scene scene({.kv_heads = kv_heads, .causal = causal, .block_rows = block_rows});
        EXPECT_LT(largest_difference(scene.by_layer({}), scene.by_loops({})), 1e-11) << kv_heads << causal;
        EXPECT_LT(scene.gradient_error(), 1e-6) << kv_heads << causal << block_rows;
      }
    }
  }
}

// An encoding, and how scores become weights.
class AttentionWith : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  static Scene scene_with(AttentionOptions own) {
    own.weights = std::get<1>(GetParam());
    return Scene({.encoding = std::get<0>(GetParam()), .own = own});
  }
  static Scene scene_of_case() { return scene_with({}); }
};

TEST_P(AttentionWith, TheEncodingEqualsTheLoops) {
  const Scene scene = scene_of_case();
  EXPECT_LT(largest_difference(scene.by_layer({}), scene.by_loops({})), 1e-11);
  for (const Index step : {1, 3, 13}) {
    EXPECT_LT(largest_difference(scene.by_layer({}, step), scene.by_loops({})), 1e-11) << step;
  }
}

TEST_P(AttentionWith, AWindowOfWSeesTheLastWKeysOnly) {
  const Scene scene = scene_of_case();
  for (const Index window : {1, 2, 5, 6, 12}) {
    const Tensor<double> expected = scene.by_loops({.window = window});
    EXPECT_LT(largest_difference(scene.by_layer({.window = window}), expected), 1e-11) << window;
    for (const Index step : {1, 3, 9}) {
      EXPECT_LT(largest_difference(scene.by_layer({.window = window}, step), expected), 1e-11)
          << window << " in runs of " << step;
    }
    EXPECT_GT(largest_difference(scene.by_layer({}), expected), 1e-8) << window;
  }
}

TEST_P(AttentionWith, AWindowOfTheLayerIsThatOfATestWithItsGradientAndOfTwoTheNarrowerCounts) {
  for (const Index window : {1, 2, 6}) {
    Scene scene = scene_with({.window = window});
    const Tensor<double> expected = scene.by_loops({.window = window});
    EXPECT_LT(largest_difference(scene.by_layer({}), expected), 1e-11) << window;
    EXPECT_LT(scene.gradient_error(), 1e-6) << window;
    EXPECT_LT(largest_difference(scene.by_layer({.window = window + 2}, 3), expected), 1e-11) << window;
    EXPECT_LT(largest_difference(scene.by_layer({.window = 3}),
                                 scene.by_loops({.window = std::min<Index>(window, 3)})),
              1e-11)
        << window;
  }
}

TEST_P(AttentionWith, ALayerThatIsNotEncodedIsThatOfNoEncoding) {
  Scene plain = scene_with({.encoding = "none"});
  EXPECT_LT(largest_difference(plain.by_layer({}), plain.by_loops({})), 1e-11);
  EXPECT_LT(plain.gradient_error(), 1e-6);
}

TEST_P(AttentionWith, LogNScalesAllScoresOfAQueryThatSeesMoreThanLKeys) {
  const Scene scene = scene_of_case();
  for (const auto& limits : {AttentionTest{0, 2.0}, {0, 5.0}, {0, 12.0}, {6, 2.0}, {9, 5.0}}) {
    const Tensor<double> expected = scene.by_loops(limits);
    for (const Index step : {0, 1, 3, 9}) {
      EXPECT_LT(largest_difference(scene.by_layer(limits, step), expected), 1e-11)
          << limits.window << " " << limits.log_n_length << " in runs of " << step;
    }
    EXPECT_GT(largest_difference(scene.by_layer({.window = limits.window}), expected), 1e-6);
  }
}

TEST_P(AttentionWith, AWindowAsLongAsTheTextAndAnLAsLongChangeNothing) {
  const Scene scene = scene_of_case();
  const Tensor<double> plain = scene.by_layer({});
  for (const Index longer : {scene.length, scene.length + 20}) {
    EXPECT_EQ(largest_difference(scene.by_layer({.window = longer}), plain), 0.0);
    EXPECT_EQ(largest_difference(scene.by_layer({.log_n_length = static_cast<double>(longer)}), plain), 0.0);
  }
}

TEST_P(AttentionWith, AProbeShowsTheWeightsOfTheFirstSequence) {
  const Scene scene = scene_of_case();
  for (const AttentionTest& limits :
       {AttentionTest{}, AttentionTest{.window = 5}, AttentionTest{.log_n_length = 3.0}}) {
    for (Index head = 0; head < Scene::head_count; ++head) {
      const Tensor<double> shown = scene.probabilities_by_observer(head, limits);
      ASSERT_EQ(shown.shape(), (Shape{scene.length, scene.length}));
      EXPECT_LT(largest_difference(shown, scene.probabilities_by_loops(head, limits)), 1e-12);
      for (Index i = 0; i < scene.length; ++i) {
        double total = 0.0;
        for (Index j = 0; j < scene.length; ++j) {
          const bool hidden = j > i || (limits.window > 0 && j <= i - limits.window);
          EXPECT_TRUE(!hidden || shown(i, j) == 0.0) << i << " " << j;
          total += shown(i, j);
        }
        if (std::get<1>(GetParam()) == "sink")
          EXPECT_LT(total, 1.0 + 1e-12);
        else
          EXPECT_NEAR(total, 1.0, 1e-12);
      }
    }
  }
}

TEST_P(AttentionWith, AProbeOfARunWithACacheShowsTheOlderKeysToo) {
  const Scene scene = scene_of_case();
  for (const AttentionTest& limits : {AttentionTest{}, AttentionTest{.window = 5}}) {
    const Tensor<double> shown = scene.probabilities_of_last(2, 3, limits);
    ASSERT_EQ(shown.shape(), (Shape{2, scene.length}));
    const Tensor<double> whole = scene.probabilities_by_loops(3, limits);
    for (Index i = 0; i < 2; ++i) {
      for (Index j = 0; j < scene.length; ++j)
        EXPECT_NEAR(shown(i, j), whole(scene.length - 2 + i, j), 1e-12);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, AttentionWith,
                         ::testing::Combine(::testing::ValuesIn(encodings().names()),
                                            ::testing::ValuesIn(attention_weights().names())),
                         [](const auto& info) {
                           const bool plain = std::get<1>(info.param) == "softmax";
                           return std::get<0>(info.param) + (plain ? "" : "_" + std::get<1>(info.param));
                         });

}  // namespace
}  // namespace ordinal
