// Every layer against finite differences: those of the registry without being named here, the others as examples.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "framework/core/errors.h"
#include "framework/layers/dropout.h"
#include "framework/layers/embedding.h"
#include "framework/layers/gradient_check.h"
#include "framework/layers/layer_registry.h"
#include "framework/layers/linear.h"
#include "framework/layers/residual.h"
#include "tests/framework/largest_difference.h"
#include "tests/framework/layers/branch_setting.h"
#include "tests/message_of.h"

namespace ordinal {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::largest_difference;
using testing::width;

// A layer in both precisions.
struct LayerCase {
  std::string name;
  LayerBuilder build;
  std::function<std::unique_ptr<Layer<float>>(const Scope&)> in_float;
  std::string layer = {};  // its name in messages
  bool is_sum = false;     // of many numbers, as exact as the largest
};

// `build` makes a layer of the type of its second argument.
template <typename Build>
LayerCase layer_case(std::string name, Build build, std::string layer = {}) {
  return {std::move(name), [build](const Scope& scope) { return build(scope, double()); },
          [build](const Scope& scope) { return build(scope, float()); }, std::move(layer)};
}

template <typename T>
using Built = std::unique_ptr<Layer<T>>;

LayerCase linear(bool bias, Index out = 5) {
  return layer_case(
      bias ? "linear" : "linear_without_bias",
      [=]<typename T>(const Scope& scope, T) -> Built<T> {
        return std::make_unique<Linear<T>>(typename Linear<T>::Options{.in = width, .out = out, .bias = bias},
                                           scope);
      },
      "Linear");
}

LayerCase dropout(double probability) {
  return layer_case(
      probability > 0.0 ? "dropout" : "dropout_of_nothing",
      [=]<typename T>(const Scope& scope, T) -> Built<T> {
        return std::make_unique<Dropout<T>>(probability, width, scope);
      },
      "Dropout");
}

LayerCase of_branch(const testing::BranchCase& branch, const std::string& layer = {}) {
  LayerCase made = layer_case(
      testing::name_of_branch(branch),
      [=]<typename T>(const Scope& scope, T) -> Built<T> {
        return std::make_unique<testing::Specimen<T>>(branch, scope);
      },
      layer);
  made.is_sum = true;
  return made;
}

LayerCase registered(LayerKind kind, const std::string& text, const std::string& layer = {}) {
  if (kind == LayerKind::branch) return of_branch({text}, layer);
  return layer_case(
      text,
      [=]<typename T>(const Scope& scope, T) -> Built<T> {
        return make_layer<T>(kind, text, {.width = width}, scope);
      },
      layer);
}

LayerCase residual(NormPlacement placement, double dropout) {
  return layer_case(
      std::string("residual_") + (placement == NormPlacement::pre ? "pre" : "post"),
      [=]<typename T>(const Scope& scope, T) -> Built<T> {
        return std::make_unique<Residual<T>>(
            placement, make_layer<T>(LayerKind::norm, "layernorm", {.width = width}, scope.nested("norm")),
            std::make_unique<Linear<T>>(typename Linear<T>::Options{.in = width, .out = width},
                                        scope.nested("inner")),
            dropout, scope);
      },
      "Residual");
}

// All that are registered, branches with their options, and those that no config names.
std::vector<LayerCase> layer_cases() {
  std::vector<LayerCase> all = {linear(true),
                                linear(false),
                                dropout(0.0),
                                dropout(0.3),
                                residual(NormPlacement::pre, 0.2),
                                residual(NormPlacement::post, 0.2)};
  for (const LayerKind kind : {LayerKind::norm, LayerKind::activation})
    for (const std::string& name : layers(kind).names()) all.push_back(registered(kind, name));
  for (const testing::BranchCase& branch : testing::branch_cases()) all.push_back(of_branch(branch));
  return all;
}

class EveryLayer : public ::testing::TestWithParam<LayerCase> {};

TEST_P(EveryLayer, BackwardIsTheGradient) {
  for (const Index length : {1, 5}) {
    const GradientReport report = check_layer(GetParam().build, length);
    EXPECT_TRUE(report.ok()) << report.text() << "at length " << length;
  }
}

// Relative to each number, or to the largest.
void expect_near(const Tensor<float>& got, const Tensor<double>& expected, double tolerance,
                 bool to_largest) {
  ASSERT_EQ(got.shape(), expected.shape());
  const double largest = largest_difference(expected, Tensor<double>(expected.shape()));
  for (std::size_t i = 0; i < expected.span().size(); ++i) {
    const double size = to_largest ? largest : std::abs(expected.span()[i]);
    ASSERT_NEAR(got.span()[i], expected.span()[i], tolerance * (1.0 + size));
  }
}

TEST_P(EveryLayer, FloatFollowsDouble) {
  testing::LayerRig<float> in_float(GetParam().in_float);
  testing::LayerRig<double> in_double(GetParam().build);
  std::ranges::copy(in_float.values.flat(), in_double.values.flat().begin());
  const auto results = [](auto& rig, auto zero) {
    using T = decltype(zero);
    return rig.forward_and_backward(testing::normal_tensor<T>({30, rig.layer.input_width()}, 2),
                                    testing::normal_tensor<T>({30, rig.layer.output_width()}, 3));
  };
  const auto rounded = results(in_float, 0.0F);
  const auto exact = results(in_double, 0.0);
  const bool is_sum = GetParam().is_sum;
  expect_near(rounded.y, exact.y, 5e-6, is_sum);
  expect_near(rounded.dx, exact.dx, is_sum ? 5e-5 : 2e-5, is_sum);
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryLayer, ::testing::ValuesIn(layer_cases()),
                         [](const auto& info) { return info.param.name; });

TEST(LayerRegistry, EveryLayerSaysWhatItIsAndTakesItsOwnDefaults) {
  for (const LayerKind kind : {LayerKind::norm, LayerKind::activation, LayerKind::branch}) {
    EXPECT_FALSE(layers(kind).entries().empty());
    for (const LayerEntry& entry : layers(kind).entries()) {
      EXPECT_EQ(entry.kind, kind) << entry.name;
      EXPECT_FALSE(entry.summary.empty()) << entry.name;
      for (const OptionSpec& spec : entry.options()) {
        EXPECT_FALSE(spec.help.empty()) << entry.name << " " << spec.name;
        EXPECT_EQ(complaint(spec, spec.value), "") << entry.name << " " << spec.name;
      }
      EXPECT_EQ(entry.resolve({entry.name}, {}).size(), entry.options().size()) << entry.name;
    }
  }
}

TEST(LayerRegistry, OptionsReachTheLayer) {
  ParameterLayout layout;
  const auto norm =
      make_layer<double>(LayerKind::norm, "rmsnorm(epsilon=3)", {.width = 2}, Scope(layout, "norm"));
  Parameters<double> values(layout);
  initialize(values, 1);
  Pass<double> pass(values);
  pass.begin({.positions = Positions::contiguous(1, 1)});
  const Tensor<double> x({1, 2}, std::vector<double>{1.0, 1.0});
  EXPECT_DOUBLE_EQ(norm->forward(x.view(), pass)(0, 0), 0.5);
}

TEST(Norms, OfRowsWhoseSquaresOverflowAreNaN) {
  for (const LayerEntry& entry : layers(LayerKind::norm).entries()) {
    ParameterLayout layout;
    const auto norm = make_layer<float>(LayerKind::norm, entry.name, {.width = 4}, Scope(layout, "norm"));
    Parameters<float> values(layout);
    initialize(values, 1);
    Pass<float> pass(values);
    pass.begin({.positions = Positions::contiguous(1, 2)});
    const Tensor<float> x({2, 4}, std::vector<float>{1e30F, 2e30F, 3e30F, 4e30F, 1e18F, 2e18F, 3e18F, 4e18F});
    const View<const float> y = norm->forward(x.view(), pass);
    EXPECT_TRUE(std::isnan(y(0, 0))) << entry.name;
    EXPECT_TRUE(std::isfinite(y(1, 0)) && y(1, 3) > 1.0F) << entry.name;
  }
}

// The variance of equal numbers is 0, and so is the mean square of zeros: what is left under the root is then ε.
TEST(Norms, OfEqualNumbersAreFiniteForAnyEpsilonThatIsAccepted) {
  for (const LayerEntry& entry : layers(LayerKind::norm).entries()) {
    ParameterLayout layout;
    const auto build = [&](const std::string& epsilon) {
      return make_layer<float>(LayerKind::norm, entry.name + "(epsilon=" + epsilon + ")", {.width = 2},
                               Scope(layout, "norm"));
    };
    const auto options = entry.options();
    const auto norm = build(number_text(std::ranges::find(options, "epsilon", &OptionSpec::name)->range.low));
    for (const std::string lost : {"0", "1e-50"}) {
      EXPECT_THAT(message_of<ConfigError>([&] { build(lost); }),
                  entry.name + ": epsilon: got " + lost + ", expected a number of at least 1e-30");
    }
    Parameters<float> values(layout);
    Parameters<float> gradients(layout);
    initialize(values, 1);
    Pass<float> pass(values, &gradients);
    pass.begin({.positions = Positions::contiguous(1, 2), .record = true});
    const Tensor<float> x({2, 2}, std::vector<float>{0.0F, 0.0F, 3.0F, 3.0F});
    const Tensor<float> dy({2, 2}, std::vector<float>{1.0F, -2.0F, 0.5F, 4.0F});
    const View<const float> y = norm->forward(x.view(), pass);
    const View<const float> dx = norm->backward(dy.view(), pass);
    for (Index r = 0; r < 2; ++r) {
      for (Index c = 0; c < 2; ++c)
        EXPECT_TRUE(std::isfinite(y(r, c)) && std::isfinite(dx(r, c))) << entry.name;
    }
    pass.finish();
  }
}

TEST(LayerRegistry, UnknownNamesAndOptionsAreReported) {
  ParameterLayout layout;
  const auto build = [&](LayerKind kind, const std::string& text) {
    return [&layout, kind, text] { make_layer<double>(kind, text, {.width = 2}, Scope(layout, "layer")); };
  };
  EXPECT_THAT(message_of<ConfigError>(build(LayerKind::norm, "gelu")),
              "norm: got 'gelu', expected one of layernorm, rmsnorm");
  EXPECT_THAT(message_of<ConfigError>(build(LayerKind::norm, "layernorm(eps=1)")),
              "layernorm has no option eps, expected one of epsilon");
  EXPECT_THAT(message_of<ConfigError>(build(LayerKind::branch, "gated_linear(activation=swiglu)")),
              AllOf(HasSubstr("gated_linear.activation: got 'swiglu'"), HasSubstr("elementwise")));
  for (const std::string& name : layers(LayerKind::activation).names()) {
    EXPECT_THAT(message_of<ConfigError>(build(LayerKind::activation, name + "(slope=1)")),
                name + " has no options, got slope = 1");
  }
}

TEST(LayerRegistry, ABlockIsAListOfBranches) {
  const std::vector<Part> parts = block_parts("feed_forward(activation=swiglu, ff=100), attention");
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(to_string(parts[0]), "feed_forward(activation=swiglu, ff=100)");
  EXPECT_EQ(to_string(parts[1]), "attention");
  EXPECT_THROW(block_parts(""), ConfigError);
  EXPECT_THROW(block_parts("attention,"), ConfigError);
  EXPECT_THAT(message_of<ConfigError>([] { block_parts("attention, gelu"); }),
              ::testing::HasSubstr("block: got 'gelu', expected one of "));
}

// They would be multiplied by memory next to its parameters. User-defined layers need not check it.
TEST(Layers, RefuseRowsOfAnotherWidth) {
  for (const LayerCase& what :
       {linear(true), dropout(0.3), residual(NormPlacement::pre, 0.2),
        registered(LayerKind::norm, "layernorm", "LayerNorm"),
        registered(LayerKind::norm, "rmsnorm", "RmsNorm"),
        registered(LayerKind::activation, "gelu", "ElementwiseActivation"),
        registered(LayerKind::activation, "swiglu", "SwiGlu"),
        registered(LayerKind::branch, "attention", "SelfAttention"),
        registered(LayerKind::branch, "feed_forward", "FeedForward"),
        registered(LayerKind::branch, "gated_linear", "FeedForward"),
        registered(LayerKind::branch, "conv", "Conv"), registered(LayerKind::branch, "lstm", "Lstm")}) {
    ParameterLayout layout;
    const Built<double> layer = what.build(Scope(layout, "layer"));
    const Parameters<double> values(layout);
    Pass<double> pass(values);
    const Index expected = layer->input_width();
    for (const Index got : {expected - 1, expected + 1, 2 * expected}) {
      const Tensor<double> x({4, got});
      pass.begin({.positions = Positions::contiguous(2, 2), .training = true});
      EXPECT_THAT(message_of<std::invalid_argument>([&] { layer->forward(x.view(), pass); }),
                  AllOf(HasSubstr(fmt::format("{}: got rows of {} numbers", what.layer, got)),
                        HasSubstr(fmt::format("expected {}", expected))));
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
      message_of<std::invalid_argument>([&] { Linear<double>(embedding.table()).forward(x.view(), pass); }),
      HasSubstr("Linear: got rows of 9 numbers, expected 8"));
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
  EXPECT_THAT(message_of<std::invalid_argument>(build(4, 8, 8)),
              HasSubstr("Residual block.0.mine: got a norm from width 4 to 4 and a "
                        "branch from 8 to 8, expected one width"));
  EXPECT_THROW(build(8, 8, 4)(), std::invalid_argument);
  EXPECT_THROW(build(8, 4, 8)(), std::invalid_argument);
}

}  // namespace
}  // namespace ordinal
