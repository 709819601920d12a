// A model whose blocks have every kind of branch.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "framework/core/random.h"
#include "framework/layers/cross_entropy.h"
#include "framework/layers/gradient_check.h"
#include "framework/layers/registry.h"
#include "models/transformer.h"

namespace ordinal {
namespace {

constexpr Index batch = 2;
constexpr Index vocab_size = 7;

ModelConfig model_of_all_branches() {
  ModelConfig config;
  config.vocab_size = vocab_size;
  config.d_model = 16;
  config.layers = 2;
  config.block = "";
  for (const LayerEntry& branch : layers(LayerKind::branch).entries()) {
    config.block += (config.block.empty() ? "" : ", ") + branch.name;
  }
  return config;
}

struct Whole {
  Whole() : model(model_of_all_branches()), values(model.layout()) {
    initialize(values, 1);
    Random random({.seed = 4});
    for (double& value : values.flat()) value += 0.2 * random.normal();
  }

  std::vector<double> logits(std::span<const Token> tokens, Run<double> run) const {
    Pass<double> pass(values);
    pass.begin(std::move(run));
    const View<const double> z = model.logits(model.hidden(tokens, pass), pass);
    return {z.data, z.data + z.size()};
  }

  Transformer<double> model;
  Parameters<double> values;
};

std::vector<Token> some_tokens(std::uint32_t purpose, Index count) {
  std::vector<Token> tokens;
  Random random({.seed = 3, .purpose = purpose});
  for (Index i = 0; i < count; ++i) tokens.push_back(static_cast<Token>(random.below(vocab_size)));
  return tokens;
}

TEST(AModelOfAllBranches, BackwardIsTheGradient) {
  Whole whole;
  constexpr Index length = 9;
  constexpr double weight = 1.0 / static_cast<double>(batch * length);
  const std::vector<Token> tokens = some_tokens(1, batch * length);
  const std::vector<Token> targets = some_tokens(2, batch * length);
  const auto loss = [&](const Parameters<double>& values) {
    Pass<double> pass(values);
    pass.begin({.positions = Positions::contiguous(batch, length)});
    std::vector<double> losses(targets.size());
    cross_entropy(whole.model.logits(whole.model.hidden(tokens, pass), pass), targets, losses);
    double total = 0.0;
    for (const double one : losses) total += one * weight;
    return total;
  };
  const auto gradient = [&](const Parameters<double>& values, Parameters<double>& gradients) {
    Pass<double> pass(values, &gradients);
    pass.begin({.positions = Positions::contiguous(batch, length), .record = true});
    const View<const double> logits = whole.model.logits(whole.model.hidden(tokens, pass), pass);
    const View<double> d_logits = pass.allocate(logits.rows, logits.cols);
    cross_entropy_backward(logits, targets, weight, d_logits);
    whole.model.backward(tokens, d_logits, pass);
    pass.finish();
  };
  const GradientReport report = check_parameters(whole.values, loss, gradient);
  EXPECT_TRUE(report.ok()) << report.text();
}

TEST(AModelOfAllBranches, CannotContinueIfAConvolutionLooksAhead) {
  ModelConfig config = model_of_all_branches();
  config.causal = false;
  EXPECT_FALSE(Transformer<double>(config).can_continue());
}

}  // namespace
}  // namespace ordinal
