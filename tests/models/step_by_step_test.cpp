// Decoding with a cache gives what one run over the whole text gives: with every branch and every option of a
// model. tests/framework/positional/contract_test.cpp does the same with every encoding.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "framework/core/decode_cache.h"
#include "framework/core/random.h"
#include "framework/layers/registry.h"
#include "models/transformer.h"

namespace ordinal {
namespace {

constexpr Index vocab_size = 7;
constexpr Index batch = 2;
constexpr Index length = 15;

struct Case {
  std::string name;
  ModelConfig config;
};

template <typename Change>
Case changed(std::string name, Change change) {
  ModelConfig config;
  config.vocab_size = vocab_size;
  config.d_model = 16;
  config.encoding = "rope";
  config.train_length = length;
  change(config);
  std::ranges::replace_if(
      name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return {std::move(name), std::move(config)};
}

void add_options(std::vector<Case>& cases) {
  cases.push_back(changed("defaults", [](ModelConfig&) {}));
  cases.push_back(changed("post", [](ModelConfig& c) { c.norm_placement = "post"; }));
  for (const std::string& norm : layers(LayerKind::norm).names())
    cases.push_back(changed("norm_" + norm, [&](ModelConfig& c) { c.norm = norm; }));
  for (const Index n_kv_heads : {1, 2, 4})
    cases.push_back(changed("kv_heads_" + std::to_string(n_kv_heads),
                            [&](ModelConfig& c) { c.n_kv_heads = n_kv_heads; }));
  cases.push_back(changed("untied", [](ModelConfig& c) { c.tied_output = false; }));
  cases.push_back(changed("without_bias", [](ModelConfig& c) { c.bias = false; }));
  cases.push_back(changed("unscaled", [](ModelConfig& c) { c.scale_embedding = false; }));
  cases.push_back(changed("three_layers", [](ModelConfig& c) { c.layers = 3; }));
  cases.push_back(changed("one_head", [](ModelConfig& c) { c.heads = 1; }));
  cases.push_back(changed("dropout", [](ModelConfig& c) { c.dropout = c.positional_dropout = 0.5; }));
}

// Each branch, each twice in a block, and blocks of several.
void add_blocks(std::vector<Case>& cases) {
  std::vector<std::string> blocks = {"conv(kernel=3), lstm, attention, gated_linear",
                                     "attention, conv(kernel=4), attention, feed_forward",
                                     "conv(kernel=1), conv(kernel=20)", "lstm(hidden=5), lstm(hidden=7)",
                                     "feed_forward(activation=swiglu, ff=6), gated_linear(activation=relu)"};
  for (const std::string& branch : layers(LayerKind::branch).names()) {
    blocks.push_back(branch);
    blocks.push_back(branch + ", " + branch);
  }
  for (const std::string& block : blocks) {
    for (const bool bias : {true, false}) {
      cases.push_back(changed("block_" + block + (bias ? "" : "_without_bias"), [&](ModelConfig& c) {
        c.block = block;
        c.bias = bias;
        c.encoding = shape_of(c).layers > 0 ? "rope" : "sinusoidal";
      }));
    }
  }
}

std::vector<Case> cases() {
  std::vector<Case> all;
  add_options(all);
  add_blocks(all);
  return all;
}

/// A model with parameters away from their initial values, so that none is zero, and a text for it.
template <typename T>
struct Setting {
  explicit Setting(const ModelConfig& config) : model(config), values(model.layout()) {
    initialize(values, 1);
    Random random({.seed = 4});
    for (T& value : values.flat()) value += static_cast<T>(0.2 * random.normal());
    for (Index i = 0; i < batch * length; ++i) tokens.push_back(static_cast<Token>(random.below(vocab_size)));
  }

  // Logits of the tokens at [first, first + count) of every sequence.
  Tensor<T> logits(Index first, Index count, DecodeCache<T>* cache) const {
    std::vector<Token> part;
    for (Index b = 0; b < batch; ++b) {
      const auto begin = tokens.begin() + b * length + first;
      part.insert(part.end(), begin, begin + count);
    }
    Pass<T> pass(values);
    pass.begin(
        {.positions = Positions::contiguous(batch, count, static_cast<double>(first)), .cache = cache});
    const View<const T> z = model.logits(model.hidden(part, pass), pass);
    return Tensor<T>({z.rows, z.cols}, {z.data, static_cast<std::size_t>(z.size())});
  }

  Transformer<T> model;
  Parameters<T> values;
  std::vector<Token> tokens;
};

// Reads the text in runs of `step` tokens; the largest difference of its logits from those of one run.
template <typename T>
double difference_in_steps(const Setting<T>& setting, Index step) {
  const Tensor<T> whole = setting.logits(0, length, nullptr);
  DecodeCache<T> cache(setting.model.layout(), batch, length);
  double largest = 0.0;
  for (Index first = 0; first < length; first += step) {
    const Index count = std::min(step, length - first);
    const Tensor<T> part = setting.logits(first, count, &cache);
    for (Index b = 0; b < batch; ++b) {
      for (Index t = 0; t < count; ++t) {
        for (Index v = 0; v < vocab_size; ++v) {
          const double off = std::abs(static_cast<double>(part(b * count + t, v)) -
                                      static_cast<double>(whole(b * length + first + t, v)));
          largest = std::isnan(off) ? 1e9 : std::max(largest, off);
        }
      }
    }
  }
  return largest;
}

class EveryModel : public ::testing::TestWithParam<Case> {};

// A user-defined branch may have no state: then the model must reject a cache instead of giving other logits.
TEST_P(EveryModel, StepByStepEqualsOneRunOrTheCacheIsRefused) {
  const Setting<double> exact(GetParam().config);
  const Setting<float> in_float(GetParam().config);
  if (!exact.model.can_continue()) {
    EXPECT_THROW(difference_in_steps(exact, 1), std::invalid_argument);
    return;
  }
  for (const Index step : {1, 2, 7, 15}) {
    EXPECT_LT(difference_in_steps(exact, step), 1e-12) << "in runs of " << step;
    EXPECT_LT(difference_in_steps(in_float, step), 2e-4) << "in runs of " << step;
  }
}

INSTANTIATE_TEST_SUITE_P(Options, EveryModel, ::testing::ValuesIn(cases()),
                         [](const auto& info) { return info.param.name; });

TEST(StepByStep, IsPossibleWithEveryBranchOfTheFramework) {
  for (const std::string block :
       {"attention", "linear_attention", "feed_forward", "gated_linear", "conv", "lstm"}) {
    const Case one = changed(block, [&](ModelConfig& c) {
      c.block = block;
      c.encoding = "none";
    });
    EXPECT_TRUE(Transformer<float>(one.config).can_continue()) << block;
  }
}

}  // namespace
}  // namespace ordinal
