#include "framework/attention/attention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "framework/layers/layer_registry.h"
#include "tests/framework/attention/scene.h"
#include "tests/message_of.h"

namespace ordinal {
namespace {

using ::testing::HasSubstr;

TEST(SelfAttention, WeightsThatAreKeptEqualThoseComputedAgain) {
  for (const std::string encoding : {"none", "t5", "shaw"}) {
    for (const bool causal : {true, false}) {
      const auto gradient = [&](Index kept_length) {
        return testing::SceneIn<float>({.encoding = encoding, .causal = causal, .kept_length = kept_length})
            .gradient();
      };
      const std::vector<float> kept = gradient(13);
      EXPECT_EQ(kept, gradient(12)) << encoding;
      EXPECT_TRUE(std::ranges::any_of(kept, [](float number) { return number != 0.0F; }));
    }
  }
}

// Tables and slopes of an encoding depend on its heads, layers and direction.
TEST(SelfAttention, RefusesAnEncodingThatWasBuiltForOtherAttention) {
  const ModelShape shape{.d_model = 16, .heads = 4, .layers = 2};
  const auto build = [](const std::string& encoding, const ModelShape& built_for, Index layer) {
    ParameterLayout layout;
    const auto built = make_positional_encoding<float>(encoding, built_for, Scope(layout, "positional"));
    SelfAttention<float>({.shape = {.d_model = 16}, .layer = layer, .encoding = built.get()}, {},
                         Scope(layout, "attention"));
  };
  const auto refusal = [&](const std::string& encoding, const ModelShape& built_for, Index layer) {
    return message_of<std::invalid_argument>([&] { build(encoding, built_for, layer); });
  };
  ModelShape two_heads = shape;
  two_heads.heads = 2;
  ModelShape wider = shape;
  wider.d_model = 32;
  ModelShape encoder = shape;
  encoder.causal = false;
  for (const std::string encoding : {"alibi", "rope", "t5", "sinusoidal+shaw"}) {
    EXPECT_NO_THROW(build(encoding, shape, 1));
    EXPECT_THAT(refusal(encoding, two_heads, 0),
                HasSubstr("for d_model 16, 2 heads, causal; expected d_model 16, 4 heads, causal"));
    EXPECT_THAT(refusal(encoding, wider, 0), HasSubstr("got a positional encoding for d_model 32, 4 heads"));
    EXPECT_THAT(refusal(encoding, encoder, 0), HasSubstr("4 heads, bidirectional; expected"));
    EXPECT_THAT(refusal(encoding, shape, 2),
                HasSubstr("got layer 2 with a positional encoding for 2 attention layers"));
  }
  for (const std::string encoding : {"none", "sinusoidal"}) EXPECT_NO_THROW(build(encoding, two_heads, 7));
}

// ln 1 is 0, and scores would be divided by it.
TEST(SelfAttention, RefusesATestWithoutMeaningAndTestsInARecordedRun) {
  ParameterLayout layout;
  const auto encoding = make_positional_encoding<float>("none", {}, Scope(layout));
  const auto run = [&](const AttentionTest& test, bool record, bool causal = true) {
    return [&, test, record, causal] {
      ParameterLayout own;
      const SelfAttention<float> layer(
          {.shape = {.d_model = 4, .causal = causal}, .encoding = encoding.get()}, {}, Scope(own, "a"));
      const Parameters<float> values(own);
      Parameters<float> gradients(own);
      Pass<float> pass(values, &gradients);
      const AttentionRun<float> attention{.test = test};
      pass.begin({.positions = Positions::contiguous(1, 2), .record = record, .attention = &attention});
      layer.forward(Tensor<float>({2, 4}).view(), pass);
    };
  };
  for (const AttentionTest& test :
       {AttentionTest{.window = -1}, AttentionTest{.log_n_length = -2.0}, AttentionTest{.log_n_length = 0.5},
        AttentionTest{.log_n_length = 1.0}, AttentionTest{.factor = 0.0}, AttentionTest{.factor = -1.0}})
    EXPECT_THROW(run(test, false)(), std::logic_error) << test.window << " " << test.log_n_length;
  for (const AttentionTest& test :
       {AttentionTest{.window = 3}, AttentionTest{.log_n_length = 8.0}, AttentionTest{.factor = 2.0}}) {
    EXPECT_NO_THROW(run(test, false)());
    EXPECT_THAT(message_of<std::logic_error>(run(test, true)), HasSubstr("got a recorded run"));
  }
  EXPECT_NO_THROW(run({}, true)());
  EXPECT_THAT(message_of<std::invalid_argument>(run({.window = 3}, false, false)),
              HasSubstr("none in a bidirectional model"));
}

TEST(SelfAttention, AsABranchNeedsAnEncoding) {
  ParameterLayout layout;
  EXPECT_THAT(message_of<std::invalid_argument>([&] {
                make_layer<float>(LayerKind::branch, "attention", {.width = 64}, Scope(layout, "attention"));
              }),
              HasSubstr("got no positional encoding"));
}

}  // namespace
}  // namespace ordinal
