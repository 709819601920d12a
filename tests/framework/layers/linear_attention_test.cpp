// Linear attention against its formula with a rotation, over sequences longer than a chunk, and the state that it
// carries. Gradients are in branch_test.cpp, with PyTorch's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "framework/core/decode_cache.h"
#include "framework/core/errors.h"
#include "framework/core/random.h"
#include "framework/layers/gradient_check.h"
#include "framework/layers/registry.h"
#include "models/transformer.h"
#include "tests/framework/largest_difference.h"

namespace ordinal {
namespace {

using ::testing::HasSubstr;
using testing::largest_difference;
using ::testing::ThrowsMessage;

constexpr Index width = 8;
constexpr Index d_head = 4;

// A layer with two heads that share a key head, and the encoding that it turns features with.
class Turned final : public Layer<double> {
 public:
  Turned(const std::string& encoding, bool causal, const Scope& scope)
      : shape_{.d_model = width, .heads = 2, .n_kv_heads = 1, .layers = 0, .causal = causal},
        encoding_(make_positional_encoding<double>(encoding, shape_, scope.nested("positional"))),
        layer_(make_layer<double>(
            LayerKind::branch, "linear_attention",
            {.width = width, .shape = shape_, .output_scale = 0.5, .encoding = encoding_.get()}, scope)) {}

  Index input_width() const override { return width; }
  Index output_width() const override { return width; }
  View<const double> forward(View<const double> x, Pass<double>& pass) const override {
    encoding_->begin_run(pass);
    return layer_->forward(x, pass);
  }
  View<const double> backward(View<const double> dy, Pass<double>& pass) const override {
    return layer_->backward(dy, pass);
  }
  void turn(View<double> query, View<double> key, Pass<double>& pass) const {
    encoding_->encode_query_key(query, key, 0, pass);
  }

 private:
  ModelShape shape_;
  std::unique_ptr<PositionalEncoding<double>> encoding_;
  std::unique_ptr<Layer<double>> layer_;
};

struct Setting {
  Setting(const std::string& encoding, bool is_causal)
      : causal(is_causal), layer(encoding, is_causal, Scope(layout, "layer")), values(layout) {
    Random random({.seed = 2});
    for (double& value : values.flat()) value = 0.5 * random.normal();
  }

  Tensor<double> rows(Index length) const {
    Tensor<double> x({length, width});
    Random random({.seed = 3});
    for (double& value : x.span()) value = random.normal();
    return x;
  }

  Tensor<double> by_layer(const Tensor<double>& x) const {
    Pass<double> pass(values);
    pass.begin({.positions = Positions::contiguous(1, x.view().rows)});
    const View<const double> y = layer.forward(x.view(), pass);
    return Tensor<double>({y.rows, y.cols}, {y.data, static_cast<std::size_t>(y.size())});
  }

  // One pair of tokens at a time.
  Tensor<double> by_loops(const Tensor<double>& x) const {
    const Index length = x.view().rows;
    Pass<double> pass(values);
    pass.begin({.positions = Positions::contiguous(1, length)});
    layer.forward(x.view(), pass);  // begins the run of the encoding
    const Tensor<double> qkv = product("qkv", x);
    Tensor<double> features({length, width + d_head});
    for (Index t = 0; t < length; ++t) {
      for (Index c = 0; c < width + d_head; ++c) {
        features(t, c) = qkv(t, c) > 0.0 ? qkv(t, c) + 1.0 : std::exp(qkv(t, c));
      }
    }
    Tensor<double> turned = features;
    layer.turn(turned.view().col_range(0, width), turned.view().col_range(width, d_head), pass);
    Tensor<double> out({length, width});
    for (Index t = 0; t < length; ++t) {
      for (Index head = 0; head < 2; ++head) {
        double total = 1e-6;
        for (Index s = 0; s < (causal ? t + 1 : length); ++s) {
          double weight = 0.0;
          for (Index c = 0; c < d_head; ++c) {
            total += features(t, head * d_head + c) * features(s, width + c);
            weight += turned(t, head * d_head + c) * turned(s, width + c);
          }
          for (Index c = 0; c < d_head; ++c) out(t, head * d_head + c) += weight * qkv(s, width + d_head + c);
        }
        for (Index c = 0; c < d_head; ++c) out(t, head * d_head + c) /= total;
      }
    }
    return product("output", out);
  }

  ParameterLayout layout;
  bool causal;
  Turned layer;
  Parameters<double> values;

 private:
  Tensor<double> product(const std::string& name, const Tensor<double>& x) const {
    const View<const double> weight = values["layer." + name + ".weight"];
    Tensor<double> y({x.view().rows, weight.rows});
    for (Index t = 0; t < x.view().rows; ++t) {
      for (Index r = 0; r < weight.rows; ++r) {
        y(t, r) = values["layer." + name + ".bias"](0, r);
        for (Index c = 0; c < weight.cols; ++c) y(t, r) += weight(r, c) * x(t, c);
      }
    }
    return y;
  }
};

TEST(LinearAttention, EqualsTheSumOverPairsWithTheNumeratorTurned) {
  for (const std::string encoding : {"none", "rope", "xpos"}) {
    for (const bool causal : {true, false}) {
      if (!causal && encoding == "xpos") continue;  // causal only
      const Setting setting(encoding, causal);
      for (const Index length : {1, 9, 64, 150}) {
        const Tensor<double> x = setting.rows(length);
        EXPECT_LT(largest_difference(setting.by_layer(x), setting.by_loops(x)), 1e-10)
            << encoding << " " << causal << " " << length;
      }
    }
  }
}

TEST(LinearAttention, BackwardIsTheGradientOverSeveralChunksWithARotation) {
  for (const bool causal : {true, false}) {
    const GradientReport report =
        check_layer([causal](const Scope& scope) { return std::make_unique<Turned>("rope", causal, scope); },
                    {.seq_len = 70});
    EXPECT_TRUE(report.ok()) << report.text() << "causal " << causal;
  }
}

ModelConfig model(const std::string& encoding) {
  ModelConfig config;
  config.vocab_size = 7;
  config.d_model = 16;
  config.n_kv_heads = 2;
  config.block = "linear_attention, feed_forward";
  config.encoding = encoding;
  return config;
}

TEST(LinearAttention, WithARotationStepByStepEqualsOneRun) {
  for (const std::string encoding : {"rope", "xpos", "sinusoidal+rope"}) {
    const Transformer<double> transformer(model(encoding));
    Parameters<double> values(transformer.layout());
    Random random({.seed = 4});
    for (double& value : values.flat()) value = 0.3 * random.normal();
    std::vector<Token> tokens;
    for (int t = 0; t < 80; ++t) tokens.push_back(static_cast<Token>(random.below(7)));
    Pass<double> pass(values);
    pass.begin({.positions = Positions::contiguous(1, 80)});
    const View<const double> z = transformer.hidden(tokens, pass);
    const std::vector<double> whole(z.data, z.data + z.size());
    DecodeCache<double> cache(transformer.layout(), 1, 80);
    std::vector<double> steps;
    for (std::size_t first = 0; first < 80; first += 5) {
      pass.begin({.positions = Positions::contiguous(1, 5, static_cast<double>(first)), .cache = &cache});
      const View<const double> part = transformer.hidden(std::span(tokens).subspan(first, 5), pass);
      steps.insert(steps.end(), part.data, part.data + part.size());
    }
    EXPECT_LT(largest_difference(steps, whole), 1e-10) << encoding;
  }
}

TEST(LinearAttention, TakesEncodingsOfTheInputAndRotationsAndRefusesOthers) {
  for (const std::string encoding : {"none", "sinusoidal", "learned", "rope", "xpos", "learned+rope"})
    EXPECT_NO_THROW(Transformer<float>(model(encoding))) << encoding;
  for (const std::string encoding : {"alibi", "t5", "cope", "ssmax", "tupe", "forgetting", "rope+alibi"}) {
    EXPECT_THAT([&] { Transformer<float>(model(encoding)); },
                ThrowsMessage<ConfigError>(HasSubstr("linear_attention has no scores")))
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
  EXPECT_THAT(
      [&] { make_layer<float>(LayerKind::branch, "linear_attention", context, Scope(layout, "attention")); },
      ThrowsMessage<std::invalid_argument>(
          HasSubstr("for d_model 16, 2 heads, causal; expected d_model 16, 4")));
}

// The state of a layer: d_head + 1 rows for each key head, however long the text.
TEST(LinearAttention, ItsStateDoesNotGrowWithTheText) {
  const Transformer<float> transformer(model("rope"));
  EXPECT_EQ(DecodeCache<float>(transformer.layout(), 1, 10).memory_bytes(),
            DecodeCache<float>(transformer.layout(), 1, 10000).memory_bytes());
}

}  // namespace
}  // namespace ordinal
