#include "framework/optimize/optimizer.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "framework/core/errors.h"
#include "tests/framework/largest_difference.h"

namespace ordinal {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// A weight, which decays, and a bias, which does not, over five steps with gradients by formula. The
// expected values are those of torch.optim 2.13 in float64 with lr 0.01, weight decay 0.1 on the matrix only,
// betas (0.9, 0.95), eps 1e-8, momentum 0.9, on the same gradients.
class FiveSteps : public ::testing::Test {
 protected:
  FiveSteps() {
    Scope(layout_).add_weight("w", {2, 2}, zeros());
    layout_.add("b", {2}, zeros());
  }

  std::array<double, 6> run(const std::string& text) {
    Parameters<double> values(layout_);
    Parameters<double> gradients(layout_);
    std::ranges::copy(std::array{0.5, -1.0, 2.0, 0.25}, values["w"].data);
    std::ranges::copy(std::array{0.1, -0.2}, values["b"].data);
    Threads threads(2);
    const auto optimizer = make_optimizer<double>(text, layout_);
    for (int step = 0; step < 5; ++step) {
      const double t = step;
      // Twice the gradient with a gradient scale of one half is the gradient.
      std::ranges::copy(std::array{0.6 * (t + 1.0), -0.4, 0.1 * t, 2.0 / (t + 1.0)}, gradients["w"].data);
      std::ranges::copy(std::array{1.0 - 0.2 * t, 0.02 * (t + 1.0)}, gradients["b"].data);
      optimizer->step(values, gradients, 0.5, 0.01, step, threads);
    }
    const double* w = values["w"].data;
    const double* b = values["b"].data;
    return {w[0], w[1], w[2], w[3], b[0], b[1]};
  }

  ParameterLayout layout_;
};

TEST_F(FiveSteps, NeedTheLayoutThatTheOptimizerWasMadeFor) {
  for (const std::string& name : optimizers().names()) {
    ParameterLayout layout;
    layout.add("w", {2, 2}, zeros());
    const auto optimizer = make_optimizer<double>(name, layout);
    layout.add("late", {2, 2}, zeros());
    Parameters<double> values(layout);
    const Parameters<double> gradients(layout);
    Threads threads(1);
    EXPECT_THAT([&] { optimizer->step(values, gradients, 1.0, 0.1, 0, threads); },
                ThrowsMessage<std::logic_error>(HasSubstr("got 32 values and 32 gradients, expected 16")));
  }
}

TEST_F(FiveSteps, OfAdamWAreThoseOfPyTorch) {
  const std::array expected = {0.4497519685084688, -0.9451098925499937, 1.9573801938114193,
                               0.2041039405000324, 0.05240412573534977, -0.24784994103213084};
  EXPECT_LT(testing::largest_difference(run("adamw(beta1=0.9, beta2=0.95, epsilon=1e-8, weight_decay=0.1)"),
                                        expected),
            1e-12);
}

TEST_F(FiveSteps, OfSgdAreThoseOfPyTorch) {
  const std::array expected = {0.3984859481230965,  -0.960660641045797,  1.964504071847698,
                               0.17302424206813974, 0.05283849999999999, -0.20317031};
  EXPECT_LT(testing::largest_difference(run("sgd(weight_decay=0.1, momentum=0.9)"), expected), 1e-12);
}

TEST(Optimizer, AnUnknownNameIsReported) {
  const ParameterLayout layout;
  EXPECT_THAT([&] { make_optimizer<float>("adam", layout); },
              ThrowsMessage<ConfigError>(
                  HasSubstr("optimizer: got 'adam' (did you mean adamw?), expected one of adamw, sgd")));
}

TEST(Optimizer, WithoutOptionsHasTheDocumentedDefaults) {
  EXPECT_EQ(optimizers().names(), (std::vector<std::string>{"adamw", "sgd"}));
  std::vector<std::string> adamw;
  for (const OptionSpec& spec : optimizers().find("adamw").options)
    adamw.push_back(spec.name + "=" + spec.value);
  EXPECT_EQ(adamw,
            (std::vector<std::string>{"beta1=0.9", "beta2=0.95", "epsilon=1e-08", "weight_decay=0.01"}));
  std::vector<std::string> sgd;
  for (const OptionSpec& spec : optimizers().find("sgd").options) sgd.push_back(spec.name + "=" + spec.value);
  EXPECT_EQ(sgd, (std::vector<std::string>{"momentum=0.9", "weight_decay=0.01"}));
}

TEST(Optimizer, AnOptionOfAnotherOrOutOfRangeIsReported) {
  const ParameterLayout layout;
  EXPECT_THAT([&] { make_optimizer<float>("sgd(beta1=0.9)", layout); },
              ThrowsMessage<ConfigError>("sgd has no option beta1, expected one of momentum, weight_decay"));
  EXPECT_THAT([&] { make_optimizer<float>("adamw(beta2=1)", layout); },
              ThrowsMessage<ConfigError>("adamw: beta2: got 1, expected a number from 0 to 0.999999"));
}

// The gradient of a parameter that no example uses is 0, and the square of a small one is rounded to 0: what is left of
// √v + ε is then ε.
TEST(Optimizer, TheFirstStepOfAdamWIsAtMostTheLearningRateForAnyGradient) {
  const std::vector<float> gradients_of_one = {0.0F,   1e-40F, 1e-30F, 1e-22F, 1e-20F, 2.6e-20F,
                                               3e-20F, 1e-19F, 1e-18F, 1e-10F, 1.0F,   1e10F};
  ParameterLayout layout;
  layout.add("w", {std::ssize(gradients_of_one)}, zeros());
  Threads threads(1);
  const auto& options = optimizers().find("adamw").options;
  const double least = std::ranges::find(options, "epsilon", &OptionSpec::name)->range.low;
  for (const std::string beta2 : {"0", "0.95", "0.999999"}) {
    const std::string text = fmt::format("adamw(epsilon={}, beta2={})", least, beta2);
    Parameters<float> values(layout);
    Parameters<float> gradients(layout);
    std::ranges::copy(gradients_of_one, gradients.flat().begin());
    make_optimizer<float>(text, layout)->step(values, gradients, 1.0, 0.5, 0, threads);
    for (std::size_t i = 0; i < gradients_of_one.size(); ++i) {
      EXPECT_LE(std::abs(values.flat()[i]), 0.5 * 1.25) << text << ", gradient " << gradients_of_one[i];
    }
  }
}

TEST(Optimizer, AnEpsilonThatIsLostInTheFirstStepIsRefused) {
  const ParameterLayout layout;
  for (const std::string epsilon : {"0", "1e-50", "1e-19"}) {
    EXPECT_THAT([&] { make_optimizer<float>("adamw(epsilon=" + epsilon + ")", layout); },
                ThrowsMessage<ConfigError>("adamw: epsilon: got " + epsilon +
                                           ", expected a number of at least 1e-18"));
  }
}

TEST(GlobalNorm, IsThatOfAllParametersTogetherOnAnyNumberOfThreads) {
  ParameterLayout layout;
  layout.add("a", {100, 400}, normal(1.0));
  layout.add("b", {3}, constant(2.0));
  Parameters<float> gradients(layout);
  initialize(gradients, 4);
  double square = 0.0;
  for (const float g : gradients.flat()) square += static_cast<double>(g) * static_cast<double>(g);
  Threads one(1);
  Threads three(3);
  GlobalNorm<float> norm(gradients.layout());
  EXPECT_NEAR(norm.of(gradients, one), std::sqrt(square), 1e-9);
  EXPECT_EQ(norm.of(gradients, one), norm.of(gradients, three));
}

// torch.nn.utils.clip_grad_norm_ on (3, 4) with limit 1 leaves (0.599999880000024, 0.799999840000032).
TEST(ClipFactor, IsThatOfPyTorch) {
  EXPECT_NEAR(3.0 * clip_factor(5.0, 1.0), 0.599999880000024, 1e-15);
  EXPECT_EQ(clip_factor(0.5, 1.0), 1.0);
  EXPECT_EQ(clip_factor(100.0, 0.0), 1.0);  // no clipping
}

struct SignOptions {
  double bias = 0.0;
  void visit(OptionVisitor& v) { v.number("bias", bias, between(-1, 1), "added to each gradient"); }
};

// A step of the learning rate against the sign of each gradient.
template <typename T>
class Sign final : public Optimizer<T> {
 public:
  Sign(const SignOptions& options, const ParameterLayout& /*layout*/) : bias_(static_cast<T>(options.bias)) {}
  void step(Parameters<T>& values, const Parameters<T>& gradients, double /*gradient_scale*/,
            double learning_rate, Index /*step*/, Threads& /*threads*/) override {
    for (std::size_t i = 0; i < values.flat().size(); ++i) {
      values.flat()[i] -= std::copysign(static_cast<T>(learning_rate), gradients.flat()[i] + bias_);
    }
  }
  std::vector<typename Optimizer<T>::State> state() override { return {}; }

 private:
  T bias_;
};

TEST(OwnOptimizer, IsAFileAndALine) {
  const OptimizerEntry entry = describe_optimizer<Sign, SignOptions>({.name = "sign", .summary = "signs"});
  EXPECT_EQ(entry.options.at(0).name, "bias");
  ParameterLayout layout;
  layout.add("weight", {2}, zeros());
  Parameters<double> values(layout);
  Parameters<double> gradients(layout);
  gradients["weight"](0, 1) = 0.25;
  Threads one(1);
  const auto optimizer =
      std::get<OptimizerBuilder<double>>(entry.build)(parse_part("sign(bias=-0.1)"), layout);
  optimizer->step(values, gradients, 1.0, 0.5, 0, one);
  EXPECT_EQ(values["weight"](0, 0), 0.5);
  EXPECT_EQ(values["weight"](0, 1), -0.5);
}

}  // namespace
}  // namespace ordinal
