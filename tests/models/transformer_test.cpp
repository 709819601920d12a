#include "models/transformer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <string>

#include "framework/attention/attention_run.h"
#include "framework/core/decode_cache.h"
#include "framework/core/errors.h"
#include "framework/layers/layer_registry.h"
#include "tests/framework/largest_difference.h"
#include "tests/message_of.h"
#include "tests/models/model_rig.h"

namespace ordinal {
namespace {

using ::testing::HasSubstr;

ModelConfig small() { return {.vocab_size = 10, .d_model = 8, .layers = 1, .heads = 2, .encoding = "none"}; }

std::map<std::string, Shape> shapes_of(const ModelConfig& config) {
  std::map<std::string, Shape> shapes;
  const Transformer<float> model(config);
  for (const ParameterSpec& spec : model.layout().specs()) shapes[spec.name] = spec.shape;
  return shapes;
}

TEST(Transformer, ParametersHaveTheDocumentedNamesAndShapes) {
  ModelConfig config = small();
  config.encoding = "learned(max_seq_len=12)";
  config.train_length = 12;
  EXPECT_EQ(shapes_of(config), (std::map<std::string, Shape>{{"token_embedding.weight", {10, 8}},
                                                             {"positional.learned.table", {12, 8}},
                                                             {"block.0.attention_norm.weight", {8}},
                                                             {"block.0.attention_norm.bias", {8}},
                                                             {"block.0.attention.qkv.weight", {24, 8}},
                                                             {"block.0.attention.qkv.bias", {24}},
                                                             {"block.0.attention.output.weight", {8, 8}},
                                                             {"block.0.attention.output.bias", {8}},
                                                             {"block.0.feed_forward_norm.weight", {8}},
                                                             {"block.0.feed_forward_norm.bias", {8}},
                                                             {"block.0.feed_forward.up.weight", {32, 8}},
                                                             {"block.0.feed_forward.up.bias", {32}},
                                                             {"block.0.feed_forward.down.weight", {8, 32}},
                                                             {"block.0.feed_forward.down.bias", {8}},
                                                             {"final_norm.weight", {8}},
                                                             {"final_norm.bias", {8}}}));
}

TEST(Transformer, OptionsAddAndRemoveTheParametersTheyShould) {
  ModelConfig config = small();
  config.tied_output = false;
  config.bias = false;
  config.norm = "rmsnorm";
  config.norm_placement = "post";
  config.block = "attention, feed_forward(activation=swiglu, ff=20)";
  config.n_kv_heads = 1;
  EXPECT_EQ(shapes_of(config), (std::map<std::string, Shape>{{"token_embedding.weight", {10, 8}},
                                                             {"block.0.attention_norm.weight", {8}},
                                                             {"block.0.attention.qkv.weight", {16, 8}},
                                                             {"block.0.attention.output.weight", {8, 8}},
                                                             {"block.0.feed_forward_norm.weight", {8}},
                                                             {"block.0.feed_forward.up.weight", {40, 8}},
                                                             {"block.0.feed_forward.down.weight", {8, 20}},
                                                             {"output.weight", {10, 8}}}));
}

// Exactly the configured encoding is active, and nothing else.
TEST(Transformer, HoldsThePositionalParametersOfItsEncodingOnly) {
  for (const EncodingEntry& entry : encodings().entries()) {
    ModelConfig config = small();
    config.encoding = entry.name;
    for (const auto& [name, shape] : shapes_of(config)) {
      const bool own = name.starts_with("positional." + entry.name + ".");
      EXPECT_TRUE(own || !name.starts_with("positional.")) << name;
    }
  }
}

// How far the logits of permuted tokens are from the permuted logits, in an encoder.
double distance_from_equivariance(const std::string& encoding) {
  ModelConfig config = small();
  config.causal = false;
  config.layers = 2;
  config.encoding = encoding;
  const testing::ModelRig<> encoder(config);
  const std::vector<Token> tokens = {3, 1, 4, 1, 5, 9, 2, 6};
  std::vector<Token> permuted;
  std::vector<double> expected;
  const std::vector<double> plain = encoder.logits(tokens);
  for (const Index from : {5, 2, 7, 0, 3, 6, 1, 4}) {
    permuted.push_back(tokens[static_cast<std::size_t>(from)]);
    const auto row = plain.begin() + 10 * from;
    expected.insert(expected.end(), row, row + 10);
  }
  return testing::largest_difference(encoder.logits(permuted), expected);
}

// Some documents call this invariance; what holds is equivariance: the output is permuted as the input is.
TEST(BidirectionalTransformer, IsEquivariantToPermutationsWithoutAnEncoding) {
  EXPECT_LT(distance_from_equivariance("none"), 1e-12);
}

TEST(BidirectionalTransformer, IsNotEquivariantWithAnEncoding) {
  EXPECT_GT(distance_from_equivariance("sinusoidal"), 0.1);
  EXPECT_GT(distance_from_equivariance("learned"), 0.1);
}

// For any rank: two-dimensional tables and biases of encodings and attention are not weights of products.
TEST(Transformer, WeightDecayActsOnWeightsOfProductsAndTheTokenEmbedding) {
  for (const EncodingEntry& entry : encodings().entries()) {
    ModelConfig config = small();
    config.encoding = entry.name;
    config.tied_output = false;
    config.block = "attention, feed_forward, gated_linear, conv, lstm";
    const Transformer<float> model(config);
    for (const ParameterSpec& spec : model.layout().specs()) {
      const bool norm = spec.name.find("norm.") != std::string::npos;
      const bool weight = spec.name.ends_with(".weight") && !norm && !spec.name.starts_with("positional.");
      EXPECT_EQ(spec.use.decay, weight) << spec.name;
    }
  }
}

TEST(Transformer, ShowsTheAttentionOfEachLayerAndHeadInRowsThatSumToOne) {
  const testing::ModelRig<> rig({.vocab_size = 10, .d_model = 8, .heads = 2, .encoding = "none"});
  const std::vector<Token> tokens = {3, 1, 4, 1, 5, 9,
                                     2, 6, 5, 3, 5, 8};  // two sequences, of which it shows the first
  std::vector<std::array<Index, 3>> shown;
  const AttentionRun<double> attention{.observe = [&](const AttentionRow<double>& row) {
    shown.push_back({row.layer, row.head, row.query});
    EXPECT_EQ(row.first_key, 0);
    EXPECT_EQ(std::ssize(row.probabilities), row.query + 1) << "the keys up to its own";
    EXPECT_NEAR(std::reduce(row.probabilities.begin(), row.probabilities.end()), 1.0, 1e-12);
  }};
  Pass<double> pass(rig.values);
  pass.begin({.positions = Positions::contiguous(2, 6), .attention = &attention});
  rig.model.hidden(tokens, pass);
  std::vector<std::array<Index, 3>> all;
  for (Index row = 0; row < 2 * 2 * 6; ++row) all.push_back({row / 12, row / 6 % 2, row % 6});
  EXPECT_EQ(shown, all);
}

TEST(Transformer, ImpossibleConfigsAreReported) {
  struct Impossible {
    ModelConfig config;
    std::string why;
    bool is_config_error = true;  // else a std::invalid_argument
  };
  const Impossible all[] = {
      {{.heads = 3}, "d_model 64 is not divisible by heads 3", false},
      {{.n_kv_heads = 3}, "heads 4 is not divisible by n_kv_heads 3", false},
      {{.layers = 0}, "model: layers: got 0, expected a whole number from 1 to 1000"},
      {{.n_kv_heads = -1}, "model: n_kv_heads: got -1, expected a whole number"},
      {{.vocab_size = 0}, "model: vocab_size: got 0, expected at least 1"},
      {{.norm_placement = "mid"}, "model: norm_placement: got 'mid', expected one of pre"},
      {{.embedding_sd = -1.0}, "model: embedding_sd: got -1, expected"},
      {{.positional_dropout = 1.0}, "model: positional_dropout: got 1, expected"},
      {{.train_length = 0}, "train_length 0, expected at least 1", false},
      {{.positions = -1}, "positions -1, expected at least 1", false},
      {{.longest = -1}, "longest -1, expected at least 0", false},
      {{.norm = "batchnorm"}, "got 'batchnorm', expected one of layernorm, rmsnorm"},
      {{.block = "attention, feed_forward(activation=tanh)"},
       "feed_forward: activation: got 'tanh', expected one of gelu, "},
      {{.block = "attention, attentoin"}, "got 'attentoin' (did you mean attention?), expected one of "},
      {{.encoding = "sinus"}, "got 'sinus', expected one of none, sinusoidal, learned"},
      {{.block = "feed_forward", .encoding = "rope"}, "no branch of 'feed_forward' has them"},
      {{.block = "feed_forward", .encoding = "sinusoidal+t5"}, "no branch of 'feed_forward' has them"},
  };
  for (const auto& [config, why, is_config_error] : all) {
    try {
      const Transformer<float> model(config);
      ADD_FAILURE() << "expected: " << why;
    } catch (const std::exception& error) {
      EXPECT_THAT(error.what(), HasSubstr(why));
      EXPECT_EQ(dynamic_cast<const ConfigError*>(&error) != nullptr, is_config_error) << why;
      EXPECT_EQ(dynamic_cast<const std::invalid_argument*>(&error) != nullptr, !is_config_error) << why;
    }
  }
  EXPECT_NO_THROW(Transformer<float>({.block = "feed_forward", .encoding = "sinusoidal"}));
}

TEST(Transformer, CannotContinueIfAConvolutionLooksAhead) {
  const ModelConfig all_branches{
      .d_model = 16, .block = joined(layers(LayerKind::branch).names()), .causal = false};
  EXPECT_FALSE(Transformer<double>(all_branches).can_continue());
}

TEST(Transformer, BranchesOfABlockHaveNamesOfTheirOwn) {
  ModelConfig config = small();
  config.block = "attention, attention, feed_forward(ff=3)";
  const auto shapes = shapes_of(config);
  EXPECT_EQ(shapes.count("block.0.attention.qkv.weight"), 1U);
  EXPECT_EQ(shapes.count("block.0.attention_2.qkv.weight"), 1U);
  EXPECT_EQ(shapes.count("block.0.attention_2_norm.weight"), 1U);
  EXPECT_EQ(shapes.at("block.0.feed_forward.up.weight"), (Shape{3, 8}));
}

// `<layer>` in --list: a branch `attention`, not a block.
TEST(Transformer, CountsTheAttentionLayersOfTheModelForItsEncoding) {
  ModelConfig config = small();
  config.layers = 2;
  config.encoding = "shaw(max_distance=2)+kerple_log";
  for (const auto& [block, layers] :
       {std::pair<std::string, Index>{"conv, attention", 2}, {"attention, lstm, attention", 4}}) {
    config.block = block;
    EXPECT_EQ(shape_of(config).layers, layers);
    EXPECT_EQ(Transformer<float>(config).attention_layers(), layers);
    const std::map<std::string, Shape> shapes = shapes_of(config);
    for (Index layer = 0; layer < 6; ++layer) {
      EXPECT_EQ(shapes.contains("positional.shaw." + std::to_string(layer) + ".key"), layer < layers)
          << block;
    }
    EXPECT_EQ(shapes.at("positional.shaw.1.key"), (Shape{5, 4}));
    EXPECT_EQ(shapes.at("positional.kerple_log.scale"), (Shape{layers, 2})) << block;
  }
}

TEST(Transformer, TheShapeFollowsFromTheConfig) {
  EXPECT_EQ(shape_of(small()).n_kv_heads, 2);
  EXPECT_EQ(shape_of(small()).positions, 64);
  EXPECT_EQ(shape_of(small()).longest, 0);
  const ModelShape shape =
      shape_of({.n_kv_heads = 1, .causal = false, .train_length = 16, .positions = 90, .longest = 256});
  EXPECT_EQ(shape.n_kv_heads, 1);
  EXPECT_EQ(shape.train_length, 16);
  EXPECT_EQ(shape.positions, 90);
  EXPECT_EQ(shape.longest, 256);
  EXPECT_FALSE(shape.causal);
}

// A cache needs states that continue: an encoding that moves earlier tokens has none.
TEST(Transformer, ACacheThatItCannotContinueFromIsReported) {
  ModelConfig config = small();
  config.encoding = "learned(max_seq_len=5, overflow=interpolate)";
  const Transformer<float> model(config);
  EXPECT_FALSE(model.can_continue());
  EXPECT_TRUE(Transformer<float>(small()).can_continue());
  const Parameters<float> values(model.layout());
  DecodeCache<float> cache(model.layout(), 1, 4);
  Pass<float> pass(values);
  pass.begin({.positions = Positions::contiguous(1, 2), .cache = &cache});
  EXPECT_THAT(message_of<std::invalid_argument>([&] {
                model.hidden(std::vector<Token>{1, 2}, pass);
              }),
              HasSubstr("cannot continue"));
}

TEST(Transformer, AWrongNumberOfTokensIsReported) {
  const Transformer<float> model(small());
  const Parameters<float> values(model.layout());
  Pass<float> pass(values);
  pass.begin({.positions = Positions::contiguous(2, 3)});
  const std::vector<Token> five(5);
  EXPECT_THAT(message_of<std::invalid_argument>([&] { model.hidden(five, pass); }),
              HasSubstr("got 5 tokens, expected batch 2 times seq_len 3"));
}

// The size of the initial values of a parameter in a model of this block, with 8 layers of width 64 and a model.init.
double initial_deviation(const std::string& init, const std::string& block, const std::string& name,
                         const std::string& encoding = "sinusoidal") {
  ModelConfig config = small();
  config.d_model = 64;
  config.layers = 8;
  config.heads = 4;
  config.n_kv_heads = 0;
  config.tied_output = false;
  config.init = init;
  config.block = block;
  config.encoding = encoding;
  const Transformer<double> model(config);
  Parameters<double> values(model.layout());
  initialize(values, 1);
  const View<const double> weight = values[name];
  const double squares =
      std::inner_product(weight.data, weight.data + weight.size(), weight.data, 0.0);  // no gaps
  return std::sqrt(squares / static_cast<double>(weight.size()));
}

// fan_in: 1/√inputs. gpt2: sd; the last matrix of each of n branches sd/√n, so that their sum has the variance of one. Those of LSTMs
// start as in PyTorch, 1/√(3 hidden). A convolution sums `kernel` products where the last matrix of another branch sums d_model.
TEST(Transformer, WeightsStartAsTheInitialWeightsSay) {
  struct Case {
    std::string block, name;
    double fan_in, gpt2;
    std::string encoding = "sinusoidal";
  };
  const std::string usual = "attention, feed_forward(ff=256)";
  const double branches = 16.0;
  for (const auto& [block, name, fan_in, gpt2, encoding] :
       {Case{usual, "block.3.attention.qkv.weight", 0.125, 0.02},
        {usual, "block.3.attention.output.weight", 0.125, 0.005},
        {usual, "block.3.feed_forward.up.weight", 0.125, 0.02},
        {usual, "block.3.feed_forward.down.weight", 0.0625, 0.005},
        {usual, "output.weight", 0.125, 0.02},
        {"gated_linear(ff=64), attention", "block.0.gated_linear.up.weight", 0.125, 0.02},
        {"linear_attention, feed_forward", "block.0.linear_attention.output.weight", 0.125, 0.005},
        {"lstm(hidden=32), conv", "block.0.lstm.input.weight", 1.0 / std::sqrt(96.0), 1.0 / std::sqrt(96.0)},
        {"lstm(hidden=32), conv", "block.0.lstm.recurrent.weight", 1.0 / std::sqrt(96.0),
         1.0 / std::sqrt(96.0)},
        {"lstm(hidden=32), conv", "block.0.lstm.output.weight", 1.0 / std::sqrt(32.0), 0.005},
        {"lstm, conv(kernel=16)", "block.0.conv.weight", 0.25, 0.02 / std::sqrt(branches) * 2.0},
        {usual, "positional.path.3.weight", 0.125, 0.02, "path"},
        {usual, "positional.selective_rope.3.weight", 0.125, 0.02, "selective_rope"},
        {usual, "positional.forgetting.3.weight", 0.125, 0.02, "forgetting"},
        {usual, "positional.transformer_xl.3.weight", 0.125, 0.02, "transformer_xl"},
        {usual, "positional.tupe.query", 0.125, 0.02, "tupe"},
        {usual, "positional.t5.bias", 0.02, 0.02, "t5"},
        {usual, "positional.transformer_xl.u", 0.02, 0.02, "transformer_xl"}}) {
    EXPECT_NEAR(initial_deviation("fan_in", block, name, encoding) / fan_in, 1.0, 0.15) << name;
    EXPECT_NEAR(initial_deviation("gpt2", block, name, encoding) / gpt2, 1.0, 0.15) << name;
  }
  EXPECT_NEAR(initial_deviation("gpt2(sd=0.1)", usual, "block.3.attention.qkv.weight"), 0.1, 0.002);
}

TEST(Transformer, AnInitialSizeThatIsNoNumberIsRefused) {
  for (const auto& [init, problem] :
       {std::pair("gpt2(sd=0)", "gpt2: sd: got 0, expected a number from 1e-06 to 100"),
        {"fan_in(sd=1)", "fan_in has no options, got sd = 1"},
        {"xavier", "got 'xavier', expected one of fan_in, gpt2"}}) {
    ModelConfig config = small();
    config.init = init;
    EXPECT_THAT(message_of<ConfigError>([&] { Transformer<float>{config}; }), HasSubstr(problem));
  }
  EXPECT_THAT(message_of<std::invalid_argument>([] { InitialWeights().inner(0); }),
              "weights: got 0 inputs, expected at least 1");
}

}  // namespace
}  // namespace ordinal
