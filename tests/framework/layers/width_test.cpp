// No layer of the framework accepts rows of another width: they would be multiplied by memory next to its
// parameters.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "framework/layers/attention.h"
#include "framework/layers/dropout.h"
#include "framework/layers/embedding.h"
#include "framework/layers/layer.h"
#include "framework/layers/linear.h"
#include "framework/layers/residual.h"

namespace ordinal {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr Index width = 8;

using Built = std::unique_ptr<Layer<double>>;

struct Specimen {
  std::string name;  // as in messages
  std::function<Built(const Scope&)> build;
};

Specimen registered(const std::string& name, LayerKind kind, const std::string& text) {
  return {name, [kind, text](const Scope& scope) {
            return make_layer<double>(kind, text, {.width = width, .shape = {.d_model = width}}, scope);
          }};
}

// The encoding goes with the builder.
Specimen attention() {
  const auto layout = std::make_shared<ParameterLayout>();
  const std::shared_ptr<PositionalEncoding<double>> none =
      make_positional_encoding<double>("none", {.d_model = width}, Scope(*layout));
  return {"SelfAttention", [layout, none](const Scope& scope) {
            return make_layer<double>(LayerKind::branch, "attention",
                                      {.width = width, .shape = {.d_model = width}, .encoding = none.get()},
                                      scope);
          }};
}

Specimen residual(NormPlacement placement) {
  return {"Residual", [placement](const Scope& scope) {
            return std::make_unique<Residual<double>>(
                placement, registered("", LayerKind::norm, "layernorm").build(scope.nested("norm")),
                registered("", LayerKind::branch, "conv").build(scope.nested("inner")), 0.0, scope);
          }};
}

std::vector<Specimen> specimens() {
  return {
      {"Linear",
       [](const Scope& scope) {
         return std::make_unique<Linear<double>>(Linear<double>::Options{.in = width, .out = 5}, scope);
       }},
      {"Dropout", [](const Scope& scope) { return std::make_unique<Dropout<double>>(0.5, width, scope); }},
      registered("LayerNorm", LayerKind::norm, "layernorm"),
      registered("RmsNorm", LayerKind::norm, "rmsnorm"),
      registered("ElementwiseActivation", LayerKind::activation, "gelu"),
      registered("SwiGlu", LayerKind::activation, "swiglu"),
      registered("FeedForward", LayerKind::branch, "feed_forward"),
      registered("FeedForward", LayerKind::branch, "gated_linear"),
      registered("Conv", LayerKind::branch, "conv"),
      registered("Lstm", LayerKind::branch, "lstm"),
      attention(),
      residual(NormPlacement::pre),
      residual(NormPlacement::post)};
}

TEST(EveryLayer, RefusesRowsOfAnotherWidth) {
  for (const Specimen& specimen : specimens()) {
    ParameterLayout layout;
    const Built layer = specimen.build(Scope(layout, "layer"));
    const Parameters<double> values(layout);
    Pass<double> pass(values);
    const Index expected = layer->input_width();
    for (const Index got : {expected - 1, expected + 1, 2 * expected}) {
      const Tensor<double> x({4, got});
      pass.begin({.positions = Positions::contiguous(2, 2), .training = true});
      EXPECT_THAT([&] { layer->forward(x.view(), pass); },
                  ThrowsMessage<std::invalid_argument>(
                      AllOf(HasSubstr(specimen.name + ": got rows of " + std::to_string(got) + " numbers"),
                            HasSubstr("expected " + std::to_string(expected)))));
    }
  }
}

TEST(Embedding, AsATiedOutputRefusesRowsOfAnotherWidth) {
  ParameterLayout layout;
  const Embedding<double> embedding(7, width, Scope(layout, "embedding"));
  const Parameters<double> values(layout);
  Pass<double> pass(values);
  pass.begin({.positions = Positions::contiguous(1, 3)});
  const Tensor<double> x({3, width + 1});
  EXPECT_THAT(
      [&] { embedding.logits(x.view(), pass); },
      ThrowsMessage<std::invalid_argument>(HasSubstr("Embedding: got rows of 9 numbers, expected 8")));
}

// A branch is checked when a model is built, before anything runs: a user-defined one need not check it.
TEST(Residual, RefusesANormOrABranchOfAnotherWidth) {
  const auto build = [](Index norm, Index in, Index out) {
    return [=] {
      ParameterLayout layout;
      const Scope scope(layout, "block.0.mine");
      Residual<double>(NormPlacement::pre,
                       make_layer<double>(LayerKind::norm, "rmsnorm", {.width = norm}, scope),
                       std::make_unique<Linear<double>>(Linear<double>::Options{.in = in, .out = out},
                                                        scope.nested("inner")),
                       0.0, scope);
    };
  };
  EXPECT_NO_THROW(build(8, 8, 8)());
  EXPECT_THAT(build(4, 8, 8), ThrowsMessage<std::invalid_argument>(
                                  HasSubstr("Residual block.0.mine: got a norm from width 4 to 4 and a "
                                            "branch from 8 to 8, expected one width")));
  EXPECT_THROW(build(8, 8, 4)(), std::invalid_argument);
  EXPECT_THROW(build(8, 4, 8)(), std::invalid_argument);
}

}  // namespace
}  // namespace ordinal
