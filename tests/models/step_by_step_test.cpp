// Decoding with a cache gives what one run over the whole text gives: with blocks of every branch and every option of a
// model. tests/framework/positional/contract_test.cpp does the same with every encoding.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>
#include <vector>

#include "framework/layers/layer_registry.h"
#include "tests/models/model_rig.h"

namespace ordinal {
namespace {

constexpr Index batch = 2;
constexpr Index length = 15;

struct Case {
  std::string name;
  ModelConfig config;
};

template <typename Change>
Case changed(std::string name, Change change) {
  ModelConfig config{.vocab_size = 7, .d_model = 16, .encoding = "rope", .train_length = length};
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

// Each branch twice in a block, and blocks of several.
void add_blocks(std::vector<Case>& cases) {
  std::vector<std::string> blocks = {"conv(kernel=3), lstm, attention, gated_linear",
                                     "attention, conv(kernel=4), attention, feed_forward",
                                     "conv(kernel=1), conv(kernel=20)", "lstm(hidden=5), lstm(hidden=7)",
                                     "feed_forward(activation=swiglu, ff=6), gated_linear(activation=relu)"};
  for (const std::string& branch : layers(LayerKind::branch).names())
    blocks.push_back(branch + ", " + branch);
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

class EveryModel : public ::testing::TestWithParam<Case> {};

// A user-defined branch may have no state: then the model must reject a cache instead of giving other logits.
TEST_P(EveryModel, StepByStepEqualsOneRunOrTheCacheIsRefused) {
  const testing::ModelRig<double> exact(GetParam().config);
  const testing::ModelRig<float> in_float(GetParam().config);
  if (!exact.model.can_continue()) {
    EXPECT_THROW(testing::difference_in_steps(exact, batch, length, 1), std::invalid_argument);
    return;
  }
  for (const Index step : {1, 2, 7, 15}) {
    EXPECT_LT(testing::difference_in_steps(exact, batch, length, step), 1e-12) << "in runs of " << step;
    EXPECT_LT(testing::difference_in_steps(in_float, batch, length, step), 2e-4) << "in runs of " << step;
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
