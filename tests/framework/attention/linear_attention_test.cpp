// Linear attention against its formula with a rotation, over sequences longer than a chunk, and the state that it
// carries. Gradients are in gradient_test.cpp, with PyTorch's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "framework/core/decode_cache.h"
#include "framework/core/errors.h"
#include "framework/layers/gradient_check.h"
#include "framework/layers/layer_registry.h"
#include "tests/framework/largest_difference.h"
#include "tests/framework/layers/branch_setting.h"
#include "tests/message_of.h"
#include "tests/models/model_rig.h"

namespace ordinal {
namespace {

using testing::BranchCase;
using testing::BranchSetting;
using ::testing::HasSubstr;
using testing::largest_difference;
using testing::linear_by_loops;
using testing::normal_tensor;
using testing::Specimen;

constexpr Index d_model = 16;
constexpr Index heads = 4;
constexpr Index head_width = d_model / heads;
constexpr Index key_width = 2 * head_width;  // of two key heads, each shared by two heads

BranchCase linear_attention(const std::string& encoding, bool causal) {
  return {"linear_attention", causal, true, d_model, encoding};
}

// One pair of tokens at a time.
Tensor<double> by_loops(const BranchSetting<double>& setting, bool causal, const Tensor<double>& x) {
  const Index length = x.view().rows;
  Pass<double> pass(setting.values);
  pass.begin({.positions = Positions::contiguous(1, length)});
  setting.layer.forward(x.view(), pass);  // begins the run of the encoding
  const Tensor<double> qkv = linear_by_loops(setting.values, "layer.qkv", x.view());
  Tensor<double> features({length, d_model + key_width});
  for (Index t = 0; t < length; ++t) {
    for (Index c = 0; c < d_model + key_width; ++c)
      features(t, c) = qkv(t, c) > 0.0 ? qkv(t, c) + 1.0 : std::exp(qkv(t, c));
  }
  Tensor<double> turned = features;
  setting.layer.encoding().encode_query_key(turned.view().col_range(0, d_model),
                                            turned.view().col_range(d_model, key_width), {}, pass);
  Tensor<double> out({length, d_model});
  for (Index t = 0; t < length; ++t) {
    for (Index head = 0; head < heads; ++head) {
      const Index key = d_model + head / 2 * head_width;
      double total = 1e-6;
      for (Index s = 0; s < (causal ? t + 1 : length); ++s) {
        double weight = 0.0;
        for (Index c = 0; c < head_width; ++c) {
          total += features(t, head * head_width + c) * features(s, key + c);
          weight += turned(t, head * head_width + c) * turned(s, key + c);
        }
        for (Index c = 0; c < head_width; ++c)
          out(t, head * head_width + c) += weight * qkv(s, key + key_width + c);
      }
      for (Index c = 0; c < head_width; ++c) out(t, head * head_width + c) /= total;
    }
  }
  return linear_by_loops(setting.values, "layer.output", out.view());
}

TEST(LinearAttention, EqualsTheSumOverPairsWithTheNumeratorTurned) {
  for (const std::string encoding : {"none", "rope", "xpos"}) {
    for (const bool causal : {true, false}) {
      if (!causal && encoding == "xpos") continue;  // causal only
      const BranchSetting<double> setting(linear_attention(encoding, causal));
      for (const Index length : {1, 9, 64, 65, 128, 150}) {
        const Tensor<double> x = normal_tensor<double>({length, d_model}, 3);
        EXPECT_LT(largest_difference(setting.forward(x, 1), by_loops(setting, causal, x)), 1e-10)
            << encoding << " " << causal << " " << length;
      }
    }
  }
}

TEST(LinearAttention, BackwardIsTheGradientOverSeveralChunksWithARotation) {
  for (const bool causal : {true, false}) {
    const BranchCase what = linear_attention("rope", causal);
    const GradientReport report =
        check_layer([&](const Scope& scope) { return std::make_unique<Specimen<double>>(what, scope); }, 70);
    EXPECT_TRUE(report.ok()) << report.text() << "causal " << causal;
  }
}

ModelConfig model(const std::string& encoding) {
  return {.vocab_size = 7,
          .d_model = 16,
          .n_kv_heads = 2,
          .block = "linear_attention, feed_forward",
          .encoding = encoding};
}

TEST(LinearAttention, WithARotationStepByStepEqualsOneRun) {
  for (const std::string encoding : {"rope", "xpos", "sinusoidal+rope"}) {
    const testing::ModelRig<> rig(model(encoding));
    EXPECT_LT(testing::difference_in_steps(rig, 1, 80, 5), 1e-10) << encoding;
  }
}

TEST(LinearAttention, TakesEncodingsOfTheInputAndRotationsAndRefusesOthers) {
  for (const std::string encoding : {"none", "sinusoidal", "learned", "rope", "xpos", "learned+rope"})
    EXPECT_NO_THROW(Transformer<float>(model(encoding))) << encoding;
  for (const std::string encoding : {"alibi", "t5", "cope", "ssmax", "tupe", "forgetting", "rope+alibi"}) {
    EXPECT_THAT(message_of<ConfigError>([&] { Transformer<float>(model(encoding)); }),
                HasSubstr("linear_attention has no scores"))
        << encoding;
  }
}

TEST(LinearAttention, RefusesAnEncodingThatWasBuiltForOtherAttention) {
  const ModelShape shape{.d_model = 16, .heads = 4};
  ModelShape two_heads = shape;
  two_heads.heads = 2;
  ParameterLayout layout;
  const auto rope = make_positional_encoding<float>("rope", two_heads, Scope(layout, "positional"));
  const LayerContext<float> context{.width = 16, .shape = shape, .encoding = rope.get()};
  EXPECT_THAT(message_of<std::invalid_argument>([&] {
                make_layer<float>(LayerKind::branch, "linear_attention", context, Scope(layout, "attention"));
              }),
              HasSubstr("for d_model 16, 2 heads, causal; expected d_model 16, 4"));
}

// The state of a layer: head_width + 1 rows for each key head, however long the text.
TEST(LinearAttention, ItsStateDoesNotGrowWithTheText) {
  const Transformer<float> transformer(model("rope"));
  for (const StateSpec& state : transformer.layout().states()) EXPECT_GT(state.rows, 0);
  EXPECT_FALSE(transformer.layout().states().empty());
}

}  // namespace
}  // namespace ordinal
