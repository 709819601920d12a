// Every layer against finite differences: those of the registry automatically, the others as examples.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "framework/core/errors.h"
#include "framework/layers/dropout.h"
#include "framework/layers/embedding.h"
#include "framework/layers/gradient_check.h"
#include "framework/layers/layer_registry.h"
#include "framework/layers/linear.h"
#include "framework/layers/residual.h"
#include "tests/framework/layers/branch_setting.h"

namespace ordinal {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr Index width = 8;

class RegisteredLayer : public ::testing::TestWithParam<LayerEntry> {};

TEST_P(RegisteredLayer, BackwardIsTheGradient) {
  const auto build = [](const Scope& scope) {
    return std::get<LayerMaker<double>>(GetParam().build)({GetParam().name}, {.width = width}, scope);
  };
  const GradientReport report = check_layer(build);
  EXPECT_TRUE(report.ok()) << report.text();
}

// y and dx, row by row, for dy = y and inputs that are equal in both precisions.
template <typename T>
std::vector<T> outcome(const LayerEntry& entry) {
  ParameterLayout layout;
  const auto layer =
      std::get<LayerMaker<T>>(entry.build)({entry.name}, {.width = width}, Scope(layout, "layer"));
  Parameters<T> values(layout);
  Parameters<T> gradients(layout);
  initialize(values, 1);
  const Tensor<T> x = testing::normal_tensor<T>({6, layer->input_width()}, 2);
  Pass<T> pass(values, &gradients);
  pass.begin({.positions = Positions::contiguous(1, 6), .record = true});
  const View<const T> y = layer->forward(x.view(), pass);
  const View<const T> dx = layer->backward(y, pass);
  std::vector<T> all(y.data, y.data + y.size());
  all.insert(all.end(), dx.data, dx.data + dx.size());
  return all;
}

TEST_P(RegisteredLayer, FloatFollowsDouble) {
  const std::vector<float> in_float = outcome<float>(GetParam());
  const std::vector<double> exact = outcome<double>(GetParam());
  ASSERT_EQ(in_float.size(), exact.size());
  for (std::size_t i = 0; i < exact.size(); ++i)
    ASSERT_NEAR(in_float[i], exact[i], (i < 6 * width ? 5e-6 : 2e-5) * (1.0 + std::abs(exact[i])));
}

// Branches are tested in branch_test.cpp.
std::vector<LayerEntry> norms_and_activations() {
  std::vector<LayerEntry> all = layers(LayerKind::norm).entries();
  const std::vector<LayerEntry>& activations = layers(LayerKind::activation).entries();
  all.insert(all.end(), activations.begin(), activations.end());
  return all;
}

INSTANTIATE_TEST_SUITE_P(Registry, RegisteredLayer, ::testing::ValuesIn(norms_and_activations()),
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
      EXPECT_THAT([&] { build(lost); }, ThrowsMessage<ConfigError>(entry.name + ": epsilon: got " + lost +
                                                                   ", expected a number of at least 1e-30"));
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
  EXPECT_THAT(build(LayerKind::norm, "gelu"),
              ThrowsMessage<ConfigError>("norm: got 'gelu', expected one of layernorm, rmsnorm"));
  EXPECT_THAT(build(LayerKind::norm, "layernorm(eps=1)"),
              ThrowsMessage<ConfigError>("layernorm has no option eps, expected one of epsilon"));
  EXPECT_THAT(build(LayerKind::branch, "gated_linear(activation=swiglu)"),
              ThrowsMessage<ConfigError>(
                  AllOf(HasSubstr("gated_linear.activation: got 'swiglu'"), HasSubstr("elementwise"))));
  for (const std::string& name : layers(LayerKind::activation).names()) {
    EXPECT_THAT(build(LayerKind::activation, name + "(slope=1)"),
                ThrowsMessage<ConfigError>(name + " has no options, got slope = 1"));
  }
}

TEST(LayerRegistry, ABlockIsAListOfBranches) {
  const std::vector<Part> parts = block_parts("feed_forward(activation=swiglu, ff=100), attention");
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(to_string(parts[0]), "feed_forward(activation=swiglu, ff=100)");
  EXPECT_EQ(to_string(parts[1]), "attention");
  EXPECT_THROW(block_parts(""), ConfigError);
  EXPECT_THROW(block_parts("attention,"), ConfigError);
  EXPECT_THAT([] { block_parts("attention, gelu"); },
              ThrowsMessage<ConfigError>(::testing::HasSubstr("block: got 'gelu', expected one of ")));
}

struct Specimen {
  std::string name;
  LayerBuilder build;
  std::string layer = {};  // its name in messages
};

using Built = std::unique_ptr<Layer<double>>;

Specimen linear(bool bias, Index out = 5) {
  return {bias ? "linear" : "linear_without_bias",
          [=](const Scope& scope) -> Built {
            return std::make_unique<Linear<double>>(
                Linear<double>::Options{.in = width, .out = out, .bias = bias}, scope);
          },
          "Linear"};
}

Specimen dropout(double probability) {
  return {probability > 0.0 ? "dropout" : "dropout_of_nothing",
          [probability](const Scope& scope) -> Built {
            return std::make_unique<Dropout<double>>(probability, width, scope);
          },
          "Dropout"};
}

Specimen registered(LayerKind kind, const std::string& text, const std::string& layer) {
  return {text,
          [kind, text](const Scope& scope) -> Built {
            if (kind == LayerKind::branch)
              return std::make_unique<testing::Specimen<double>>(testing::BranchCase{text}, scope);
            return make_layer<double>(kind, text, {.width = width}, scope);
          },
          layer};
}

Specimen residual(NormPlacement placement, double dropout) {
  return {std::string("residual_") + (placement == NormPlacement::pre ? "pre" : "post"),
          [=](const Scope& scope) -> Built {
            return std::make_unique<Residual<double>>(
                placement,
                make_layer<double>(LayerKind::norm, "layernorm", {.width = width}, scope.nested("norm")),
                linear(true, width).build(scope.nested("inner")), dropout, scope);
          },
          "Residual"};
}

class SpecimenLayer : public ::testing::TestWithParam<Specimen> {};

TEST_P(SpecimenLayer, BackwardIsTheGradient) {
  const GradientReport report = check_layer(GetParam().build);
  EXPECT_TRUE(report.ok()) << report.text();
}

INSTANTIATE_TEST_SUITE_P(All, SpecimenLayer,
                         ::testing::Values(linear(true), linear(false), dropout(0.0), dropout(0.3),
                                           residual(NormPlacement::pre, 0.2),
                                           residual(NormPlacement::post, 0.2)),
                         [](const auto& info) { return info.param.name; });

// They would be multiplied by memory next to its parameters. User-defined layers need not check it.
TEST(EveryLayer, RefusesRowsOfAnotherWidth) {
  for (const Specimen& specimen :
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
    const Built layer = specimen.build(Scope(layout, "layer"));
    const Parameters<double> values(layout);
    Pass<double> pass(values);
    const Index expected = layer->input_width();
    for (const Index got : {expected - 1, expected + 1, 2 * expected}) {
      const Tensor<double> x({4, got});
      pass.begin({.positions = Positions::contiguous(2, 2), .training = true});
      EXPECT_THAT([&] { layer->forward(x.view(), pass); },
                  ThrowsMessage<std::invalid_argument>(
                      AllOf(HasSubstr(fmt::format("{}: got rows of {} numbers", specimen.layer, got)),
                            HasSubstr(fmt::format("expected {}", expected)))));
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
  EXPECT_THAT([&] { Linear<double>(embedding.table()).forward(x.view(), pass); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("Linear: got rows of 9 numbers, expected 8")));
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
