#include "framework/layers/attention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <stdexcept>

#include "framework/core/decode_cache.h"
#include "tests/framework/largest_difference.h"
#include "tests/framework/with_options.h"

namespace ordinal {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// The definition as loops over tokens: o_i = Σ_j softmax_j(q_i·k_j/√d_h) v_j.
Tensor<double> naive_attention(const Parameters<double>& values, const Tensor<double>& x, Index heads,
                               Index kv_heads, bool causal) {
  const Index d = x.shape().back();
  const Index length = x.view().rows;
  const Index d_head = d / heads;
  const auto linear = [&](const std::string& name, const Tensor<double>& in) {
    const View<const double> weight = values[name + ".weight"];
    Tensor<double> out({length, weight.rows});
    for (Index t = 0; t < length; ++t) {
      for (Index r = 0; r < weight.rows; ++r) {
        out(t, r) = values[name + ".bias"](0, r);
        for (Index c = 0; c < weight.cols; ++c) out(t, r) += weight(r, c) * in(t, c);
      }
    }
    return out;
  };
  const Tensor<double> qkv = linear("attention.qkv", x);
  Tensor<double> mixed({length, d});
  for (Index h = 0; h < heads; ++h) {
    const Index key = d + h / (heads / kv_heads) * d_head;
    const Index value = key + kv_heads * d_head;
    for (Index i = 0; i < length; ++i) {
      const Index last = causal ? i + 1 : length;
      std::vector<double> weights;
      double total = 0.0;
      for (Index j = 0; j < last; ++j) {
        double score = 0.0;
        for (Index c = 0; c < d_head; ++c) score += qkv(i, h * d_head + c) * qkv(j, key + c);
        weights.push_back(std::exp(score / std::sqrt(static_cast<double>(d_head))));
        total += weights.back();
      }
      for (Index j = 0; j < last; ++j) {
        for (Index c = 0; c < d_head; ++c) {
          mixed(i, h * d_head + c) += weights[static_cast<std::size_t>(j)] / total * qkv(j, value + c);
        }
      }
    }
  }
  return linear("attention.output", mixed);
}

TEST(SelfAttention, EqualsTheNaiveLoops) {
  for (const Index kv_heads : {4, 2, 1}) {
    for (const bool causal : {true, false}) {
      for (const Index block_rows : {3, 7, 64}) {
        ParameterLayout layout;
        const auto encoding = make_positional_encoding<double>("none", {}, Scope(layout, "positional"));
        const SelfAttention<double> attention({.d_model = 16,
                                               .heads = 4,
                                               .n_kv_heads = kv_heads,
                                               .causal = causal,
                                               .bias = true,
                                               .output_scale = 0.02,
                                               .layer = 0,
                                               .block_rows = block_rows},
                                              *encoding, Scope(layout, "attention"));
        Parameters<double> values(layout);
        Random random({.seed = 1});
        for (double& value : values.flat()) value = random.normal();
        Tensor<double> x({7, 16});
        for (double& value : x.span()) value = random.normal();
        Pass<double> pass(values);
        pass.begin({.positions = Positions::contiguous(1, 7)});
        const View<const double> y = attention.forward(x.view(), pass);
        const Tensor<double> expected = naive_attention(values, x, 4, kv_heads, causal);
        for (Index i = 0; i < y.rows; ++i) {
          for (Index c = 0; c < y.cols; ++c) ASSERT_NEAR(y(i, c), expected(i, c), 1e-11);
        }
      }
    }
  }
}

// y, dx and the gradients of the parameters, for random numbers.
std::vector<float> run_of(const std::string& encoding_name, bool causal, Index kept_length) {
  ParameterLayout layout;
  const ModelShape shape{.d_model = 16, .heads = 4, .n_kv_heads = 2, .causal = causal};
  const auto encoding = make_positional_encoding<float>(encoding_name, shape, Scope(layout, "positional"));
  const SelfAttention<float> attention({.d_model = 16,
                                        .heads = 4,
                                        .n_kv_heads = 2,
                                        .causal = causal,
                                        .block_rows = 8,
                                        .kept_length = kept_length},
                                       *encoding, Scope(layout, "attention"));
  Parameters<float> values(layout);
  Parameters<float> gradients(layout);
  Random random({.seed = 1});
  for (float& value : values.flat()) value = static_cast<float>(random.normal());
  Tensor<float> x({2 * 21, 16});
  for (float& value : x.span()) value = static_cast<float>(random.normal());
  Pass<float> pass(values, &gradients);
  pass.begin({.positions = Positions::contiguous(2, 21), .record = true});
  encoding->begin_run(pass);
  const View<const float> y = attention.forward(x.view(), pass);
  const View<const float> dx = attention.backward(y, pass);
  std::vector<float> outcome(y.data, y.data + y.size());
  outcome.insert(outcome.end(), dx.data, dx.data + dx.size());
  pass.finish();
  outcome.insert(outcome.end(), gradients.flat().begin(), gradients.flat().end());
  return outcome;
}

TEST(SelfAttention, WeightsThatAreKeptEqualThoseComputedAgain) {
  for (const char* encoding : {"none", "t5", "shaw"}) {
    for (const bool causal : {true, false}) {
      const std::vector<float> kept = run_of(encoding, causal, 21);
      EXPECT_EQ(kept, run_of(encoding, causal, 20)) << encoding;
      EXPECT_TRUE(std::ranges::any_of(kept, [](float number) { return number != 0.0F; }));
    }
  }
}

TEST(SelfAttention, HeadsMustDivide) {
  ParameterLayout layout;
  const auto encoding = make_positional_encoding<float>("none", {}, Scope(layout));
  EXPECT_THAT([&] { SelfAttention<float>({.d_model = 10, .heads = 4}, *encoding, Scope(layout, "a")); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("d_model 10 is not divisible by heads 4")));
  EXPECT_THAT(
      [&] {
        SelfAttention<float>({.d_model = 8, .heads = 4, .n_kv_heads = 3}, *encoding, Scope(layout, "b"));
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("heads 4 is not divisible by n_kv_heads 3")));
}

// Tables and slopes of an encoding depend on its heads, layers and direction.
TEST(SelfAttention, RefusesAnEncodingThatWasBuiltForOtherAttention) {
  const ModelShape shape{.d_model = 16, .heads = 4, .layers = 2};
  const auto build = [](const std::string& encoding, const ModelShape& built_for, Index layer) {
    return [=] {
      ParameterLayout layout;
      const auto built = make_positional_encoding<float>(encoding, built_for, Scope(layout, "positional"));
      SelfAttention<float>({.d_model = 16, .heads = 4, .n_kv_heads = 4, .layer = layer}, *built,
                           Scope(layout, "attention"));
    };
  };
  const auto refused = [](const std::string& text) {
    return ThrowsMessage<std::invalid_argument>(HasSubstr(text));
  };
  ModelShape two_heads = shape;
  two_heads.heads = 2;
  ModelShape wider = shape;
  wider.d_model = 32;
  ModelShape encoder = shape;
  encoder.causal = false;
  for (const std::string encoding : {"alibi", "rope", "t5", "sinusoidal+shaw"}) {
    EXPECT_NO_THROW(build(encoding, shape, 1)());
    EXPECT_THAT(build(encoding, two_heads, 0),
                refused("for d_model 16, 2 heads, causal; expected d_model 16, 4 heads, causal"));
    EXPECT_THAT(build(encoding, wider, 0), refused("got a positional encoding for d_model 32, 4 heads"));
    EXPECT_THAT(build(encoding, encoder, 0), refused("4 heads, bidirectional; expected"));
    EXPECT_THAT(build(encoding, shape, 2),
                refused("got layer 2 with a positional encoding for 2 attention layers"));
  }
  for (const std::string encoding : {"none", "sinusoidal"}) EXPECT_NO_THROW(build(encoding, two_heads, 7)());
}

TEST(SelfAttention, AsABranchNeedsAnEncoding) {
  ParameterLayout layout;
  EXPECT_THAT(
      [&] { make_layer<float>(LayerKind::branch, "attention", {.width = 64}, Scope(layout, "attention")); },
      ThrowsMessage<std::invalid_argument>(HasSubstr("got no positional encoding")));
}

}  // namespace
}  // namespace ordinal
