// What attention has besides encodings: norms of queries and keys, a softcap, a sink, and layers that name their encodings.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "tests/framework/attention/scene.h"
#include "tests/framework/largest_difference.h"
#include "tests/message_of.h"

namespace ordinal {
namespace {

using testing::largest_difference;
using testing::Scene;

// Everything that changes queries, keys and scores, in one layer: at once, step by step, and its gradient.
TEST(AttentionOptions, WithNormsOfQueriesAndKeysASoftcapAndASinkEqualsTheLoops) {
  for (const std::string encoding :
       {"none", "rope", "t5", "shaw", "cope", "ssmax", "selective_rope+ssmax", "path+forgetting"}) {
    for (const std::string& weights : attention_weights().names()) {
      for (const Index window : {0, 5}) {
        Scene scene({.encoding = encoding,
                     .own = {.weights = weights, .window = window, .qk_norm = "rmsnorm", .softcap = 0.7}});
        const Tensor<double> expected = scene.by_loops({.window = window});
        EXPECT_LT(largest_difference(scene.by_layer({}), expected), 1e-11) << encoding << " " << weights;
        EXPECT_LT(largest_difference(scene.by_layer({}, 3), expected), 1e-11) << encoding << " " << weights;
        EXPECT_LT(scene.gradient_error(), 1e-6) << encoding << " " << weights << " " << window;
      }
    }
  }
}

// Qwen 3 uses 1e-6.
TEST(AttentionOptions, NormsOfQueriesAndKeysHaveTheirOwnEpsilon) {
  const Tensor<double> usual = Scene({.own = {.qk_norm = "rmsnorm"}}).by_layer({});
  for (const std::string epsilon : {"1e-6", "0.1"}) {
    const Scene scene({.own = {.qk_norm = "rmsnorm(epsilon=" + epsilon + ")"}});
    EXPECT_LT(largest_difference(scene.by_layer({}), scene.by_loops({})), 1e-11) << epsilon;
    EXPECT_GT(largest_difference(scene.by_layer({}), usual), 1e-8) << epsilon;
  }
}

// In the loops, both are factors of scores with the terms of encodings, and the cap comes after them.
TEST(AttentionOptions, ASoftcapComesAfterTheFactorsOfATest) {
  for (const std::string encoding : {"none", "alibi", "rope+t5"}) {
    const Scene scene({.encoding = encoding, .own = {.softcap = 0.7}});
    for (const AttentionTest& test : {AttentionTest{.log_n_length = 3.0}, AttentionTest{.factor = 0.5},
                                      AttentionTest{.log_n_length = 3.0, .factor = 1.5}}) {
      EXPECT_LT(largest_difference(scene.by_layer(test), scene.by_loops(test)), 1e-11) << encoding;
      EXPECT_GT(largest_difference(scene.by_layer(test), scene.by_layer({})), 1e-3) << encoding;
    }
  }
}

TEST(AttentionOptions, OfALayerThatNamesAnEncodingIsThatOfThisEncodingAlone) {
  const Scene both({.encoding = "rope+alibi"});
  for (const std::string one : {"rope", "alibi"}) {
    const Tensor<double> alone = Scene({.encoding = one}).by_layer({});
    EXPECT_EQ(
        largest_difference(Scene({.encoding = "rope+alibi", .own = {.encoding = one}}).by_layer({}), alone),
        0.0);
    EXPECT_GT(largest_difference(both.by_layer({}), alone), 1e-3);
  }
  EXPECT_EQ(
      largest_difference(Scene({.encoding = "rope+alibi", .own = {.encoding = "rope+alibi"}}).by_layer({}),
                         both.by_layer({})),
      0.0);
}

TEST(AttentionOptions, RefusesASoftcapByWhichScoresCannotBeDivided) {
  EXPECT_THAT(message_of<ConfigError>([] { Scene({.own = {.softcap = 1e-300}}); }),
              "attention: softcap = 1e-300, expected 0, for none, or at least 0.001");
}

TEST(AttentionOptions, RefusesALayerThatNamesNoEncodingThatActsInLayersOfTheModel) {
  for (const std::string names :
       {"t5", "rope+rope", "all+rope", "rope(base=500)", "sinusoidal", "rope+sinusoidal", ""}) {
    EXPECT_THAT(
        message_of<ConfigError>(
            [&] { Scene({.encoding = "rope+alibi+sinusoidal", .own = {.encoding = names}}); }),
        ::testing::HasSubstr("got '" + names +
                             "', expected all, none, or some of rope, alibi, each once, in this order"));
  }
}

// Rotations of different pairs do not commute, and the order of model.encoding is that of all layers.
TEST(AttentionOptions, RefusesALayerThatNamesEncodingsInAnotherOrder) {
  const std::string all = "rope+alibi+selective_rope";
  for (const std::string names : {"selective_rope+rope", "alibi+rope", "rope+selective_rope+alibi"}) {
    EXPECT_THAT(
        message_of<ConfigError>([&] { Scene({.encoding = all, .own = {.encoding = names}}); }),
        "encoding of an attention layer: got '" + names +
            "', expected all, none, or some of rope, alibi, selective_rope, each once, in this order, "
            "and joined by + (name others in model.encoding)");
  }
  const Tensor<double> some =
      Scene({.encoding = all, .own = {.encoding = "rope+selective_rope"}}).by_layer({});
  EXPECT_EQ(largest_difference(some, Scene({.encoding = "rope+selective_rope"}).by_layer({})), 0.0);
}

// A sink far above all scores takes nearly all of the weight, and one far below none of it.
TEST(AttentionOptions, OfASinkStaysFiniteForAnySink) {
  for (const double sink : {-300.0, 0.0, 300.0}) {
    ParameterLayout layout;
    const auto weights = std::get<WeightsBuilder<float>>(attention_weights().find("sink").build)(
        1, Scope(layout, "attention"));
    Parameters<float> values(layout);
    values["attention.sink"](0, 0) = static_cast<float>(sink);
    Pass<float> pass(values);
    pass.begin({.positions = Positions::contiguous(1, 4)});
    Tensor<float> scores({1, 4}, std::vector<float>{1.0F, -2.0F, 3.0F, 0.5F});
    Tensor<float> sums({1, 2});
    ScoreBlock<float> block{};
    block.first_query = 3;
    weights->forward(block, scores.view(), sums.view(), pass);
    EXPECT_EQ(sums(0, 0), std::max(3.0F, static_cast<float>(sink)))
        << "the largest, of which exp stays finite";
    float total = 0.0F;
    for (const float e : scores.span()) total += e / sums(0, 1);
    EXPECT_NEAR(total, sink > 0.0 ? 0.0 : sink < 0.0 ? 1.0 : 0.9609, 1e-3) << sink;
  }
}

}  // namespace
}  // namespace ordinal
