// Every layer against finite differences: those of the registry automatically, the others as examples.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "framework/core/errors.h"
#include "framework/layers/attention.h"
#include "framework/layers/dropout.h"
#include "framework/layers/gradient_check.h"
#include "framework/layers/layer.h"
#include "framework/layers/linear.h"
#include "framework/layers/residual.h"

namespace ordinal {
namespace {

using ::testing::ThrowsMessage;

constexpr Index width = 8;

class RegisteredLayer : public ::testing::TestWithParam<LayerEntry> {};

TEST_P(RegisteredLayer, BackwardIsTheGradient) {
  const auto build = [](const Scope& scope) {
    return GetParam().build.in_double({GetParam().name}, {.width = width}, scope);
  };
  const GradientReport report = check_layer(build);
  EXPECT_TRUE(report.ok()) << report.text();
}

// Float against double on the same values: forward and dx.
TEST_P(RegisteredLayer, FloatFollowsDouble) {
  ParameterLayout float_layout;
  ParameterLayout double_layout;
  const auto in_float =
      GetParam().build.in_float({GetParam().name}, {.width = width}, Scope(float_layout, "layer"));
  const auto in_double =
      GetParam().build.in_double({GetParam().name}, {.width = width}, Scope(double_layout, "layer"));
  Parameters<float> float_values(float_layout);
  Parameters<double> double_values(double_layout);
  initialize(float_values, 1);
  initialize(double_values, 1);
  Parameters<float> float_gradients(float_layout);
  Parameters<double> double_gradients(double_layout);
  Tensor<float> x({6, in_float->input_width()});
  Tensor<double> exact_x({6, in_float->input_width()});
  Random random({.seed = 2});
  for (Index i = 0; i < x.size(); ++i) {
    x.data()[i] = static_cast<float>(random.normal());
    exact_x.data()[i] = static_cast<double>(x.data()[i]);
  }
  Pass<float> float_pass(float_values, &float_gradients);
  Pass<double> double_pass(double_values, &double_gradients);
  float_pass.begin({.positions = Positions::contiguous(1, 6), .record = true});
  double_pass.begin({.positions = Positions::contiguous(1, 6), .record = true});
  const View<const float> y = in_float->forward(x.view(), float_pass);
  const View<const double> exact_y = in_double->forward(exact_x.view(), double_pass);
  const View<const float> dx = in_float->backward(y, float_pass);
  const View<const double> exact_dx = in_double->backward(exact_y, double_pass);
  for (Index r = 0; r < y.rows; ++r) {
    for (Index c = 0; c < y.cols; ++c)
      ASSERT_NEAR(y(r, c), exact_y(r, c), 5e-6 * (1.0 + std::abs(exact_y(r, c))));
    for (Index c = 0; c < dx.cols; ++c)
      ASSERT_NEAR(dx(r, c), exact_dx(r, c), 2e-5 * (1.0 + std::abs(exact_dx(r, c))));
  }
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

TEST(LayerRegistry, UnknownNamesAndOptionsAreReported) {
  ParameterLayout layout;
  const auto build = [&](LayerKind kind, const std::string& text) {
    return [&layout, kind, text] { make_layer<double>(kind, text, {.width = 2}, Scope(layout, "layer")); };
  };
  EXPECT_THAT(build(LayerKind::norm, "gelu"),
              ThrowsMessage<ConfigError>("norm: got 'gelu', expected one of layernorm, rmsnorm"));
  EXPECT_THAT(build(LayerKind::norm, "layernorm(eps=1)"),
              ThrowsMessage<ConfigError>("layernorm has no option eps, expected one of epsilon"));
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
};

using Built = std::unique_ptr<Layer<double>>;

// An attention that owns the encoding it refers to.
class AttentionSpecimen final : public Layer<double> {
 public:
  AttentionSpecimen(Index n_kv_heads, bool causal, Index block_rows, const Scope& scope)
      : encoding_(make_positional_encoding<double>("none", {}, scope)),
        attention_({.d_model = width,
                    .heads = 4,
                    .n_kv_heads = n_kv_heads,
                    .causal = causal,
                    .bias = true,
                    .output_scale = 0.3,
                    .layer = 0,
                    .block_rows = block_rows,
                    .kept_length = block_rows == 2 ? 0 : 256},  // both ways
                   *encoding_, scope) {}

  Index input_width() const override { return width; }
  Index output_width() const override { return width; }
  View<const double> forward(View<const double> x, Pass<double>& pass) const override {
    return attention_.forward(x, pass);
  }
  View<const double> backward(View<const double> dy, Pass<double>& pass) const override {
    return attention_.backward(dy, pass);
  }

 private:
  std::unique_ptr<PositionalEncoding<double>> encoding_;
  SelfAttention<double> attention_;
};

Specimen linear(bool bias) {
  return {bias ? "linear" : "linear_without_bias", [bias](const Scope& scope) -> Built {
            return std::make_unique<Linear<double>>(
                Linear<double>::Options{.in = width, .out = 5, .bias = bias}, scope);
          }};
}

Specimen dropout(double probability) {
  return {probability > 0.0 ? "dropout" : "dropout_of_nothing", [probability](const Scope& scope) -> Built {
            return std::make_unique<Dropout<double>>(probability, width, scope);
          }};
}

Specimen feed_forward(const std::string& activation) {
  return {"feed_forward_" + activation, [activation](const Scope& scope) -> Built {
            return make_layer<double>(LayerKind::branch, "feed_forward(ff=12, activation=" + activation + ")",
                                      {.width = width}, scope);
          }};
}

Specimen attention(Index n_kv_heads, bool causal, Index block_rows) {
  return {"attention_" + std::string(causal ? "causal" : "bidirectional") + "_kv" +
              std::to_string(n_kv_heads) + "_blocks" + std::to_string(block_rows),
          [=](const Scope& scope) -> Built {
            return std::make_unique<AttentionSpecimen>(n_kv_heads, causal, block_rows, scope);
          }};
}

Specimen residual(NormPlacement placement, double dropout) {
  return {std::string("residual_") + (placement == NormPlacement::pre ? "pre" : "post"),
          [=](const Scope& scope) -> Built {
            return std::make_unique<Residual<double>>(
                placement,
                make_layer<double>(LayerKind::norm, "layernorm", {.width = width}, scope.nested("norm")),
                feed_forward("gelu").build(scope.nested("inner")), dropout, scope);
          }};
}

std::vector<Specimen> specimens() {
  std::vector<Specimen> all = {linear(true),
                               linear(false),
                               dropout(0.0),
                               dropout(0.3),
                               residual(NormPlacement::pre, 0.2),
                               residual(NormPlacement::post, 0.2)};
  for (const std::string& name : layers(LayerKind::activation).names()) all.push_back(feed_forward(name));
  for (const Index n_kv_heads : {4, 2, 1}) {
    for (const bool causal : {true, false})
      all.push_back(attention(n_kv_heads, causal, 2));  // 2 does not divide 5
  }
  all.push_back(attention(4, true, 5));   // one block, exactly
  all.push_back(attention(4, true, 64));  // a block larger than the sequence
  return all;
}

class SpecimenLayer : public ::testing::TestWithParam<Specimen> {};

TEST_P(SpecimenLayer, BackwardIsTheGradient) {
  const GradientReport report = check_layer(GetParam().build);
  EXPECT_TRUE(report.ok()) << report.text();
}

INSTANTIATE_TEST_SUITE_P(All, SpecimenLayer, ::testing::ValuesIn(specimens()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace ordinal
