#include "framework/optimize/optimizer.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "framework/core/errors.h"
#include "tests/framework/largest_difference.h"
#include "tests/message_of.h"

namespace ordinal {
namespace {

using ::testing::HasSubstr;

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
  EXPECT_THAT(message_of<ConfigError>([&] { make_optimizer<float>("adam", layout); }),
              HasSubstr("optimizer: got 'adam' (did you mean adamw?), expected one of adamw, sgd, muon"));
}

TEST(Optimizer, WithoutOptionsHasTheDocumentedDefaults) {
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
  EXPECT_THAT(message_of<ConfigError>([&] { make_optimizer<float>("sgd(beta1=0.9)", layout); }),
              "sgd has no option beta1, expected one of momentum, weight_decay");
  EXPECT_THAT(message_of<ConfigError>([&] { make_optimizer<float>("adamw(beta2=1)", layout); }),
              "adamw: beta2: got 1, expected a number from 0 to 0.999999");
}

ParameterLayout with_matrices() {
  ParameterLayout layout;
  Scope(layout).add_matrix("stacked", {12, 20}, 16, normal(1.0));
  Scope(layout).add_weight("embedding", {7, 16}, normal(1.0));
  return layout;
}

// Also with a table that is stepped in several ranges, and a bias.
ParameterLayout of_a_model() {
  ParameterLayout layout = with_matrices();
  Scope(layout).add_weight("table", {40, 1000}, normal(1.0));
  layout.add("bias", {5}, zeros());
  return layout;
}

constexpr float goal = 0.5F;

// A training that minimises Σ (θ - goal)²/2.
struct Descent {
  explicit Descent(const std::string& text) : optimizer(make_optimizer<float>(text, layout)) {
    initialize(values, 1);
  }

  // `times` the gradient, which has to be scaled back.
  void run(Index first, Index last, int count = 1, float times = 1.0F) {
    Threads threads(count);
    Parameters<float> gradients(layout);
    for (Index step = first; step < last; ++step) {
      for (std::size_t i = 0; i < values.flat().size(); ++i)
        gradients.flat()[i] = times * (values.flat()[i] - goal);
      optimizer->step(values, gradients, 1.0 / static_cast<double>(times), 0.05, step, threads);
    }
  }
  double distance() const {
    double squares = 0.0;
    for (const float value : values.flat()) squares += std::pow(static_cast<double>(value - goal), 2);
    return squares;
  }

  ParameterLayout layout = of_a_model();
  Parameters<float> values{layout};
  std::unique_ptr<Optimizer<float>> optimizer;
};

bool same_bits(const Descent& a, const Descent& b) {
  return std::ranges::equal(a.values.flat(), b.values.flat());
}

class EveryOptimizer : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryOptimizer, NeedsTheLayoutThatItWasMadeFor) {
  ParameterLayout layout = with_matrices();
  const auto optimizer = make_optimizer<double>(GetParam(), layout);
  layout.add("late", {2, 2}, zeros());
  Parameters<double> values(layout);
  const Parameters<double> gradients(layout);
  Threads threads(1);
  EXPECT_THROW(optimizer->step(values, gradients, 1.0, 0.1, 0, threads), std::logic_error);
}

TEST_P(EveryOptimizer, Descends) {
  Descent descent(GetParam());
  const double before = descent.distance();
  descent.run(0, 300);
  EXPECT_LT(descent.distance(), 0.5 * before);
}

// Clipping is a scale of the gradient.
TEST_P(EveryOptimizer, TakesTheScaleOfTheGradient) {
  Descent plain(GetParam());
  Descent scaled(GetParam());
  plain.run(0, 3);
  scaled.run(0, 3, 1, 4.0F);
  EXPECT_TRUE(same_bits(plain, scaled)) << "a quarter of four times the gradient is another";
}

TEST_P(EveryOptimizer, GivesTheSameBitsOnAnyNumberOfThreads) {
  Descent one(GetParam());
  one.run(0, 3);
  for (const int threads : {2, 3}) {
    Descent several(GetParam());
    several.run(0, 3, threads);
    EXPECT_TRUE(same_bits(several, one)) << threads << " threads";
  }
}

// An example may use no row of a table, and then some.
TEST_P(EveryOptimizer, LeavesAParameterWithoutAGradientInPlace) {
  Descent descent(GetParam());
  std::ranges::fill(descent.values.flat(), 0.0F);
  const Parameters<float> gradients(descent.layout);
  Threads threads(1);
  descent.optimizer->step(descent.values, gradients, 1.0, 0.1, 0, threads);
  EXPECT_EQ(std::ranges::count(descent.values.flat(), 0.0F), std::ssize(descent.values.flat()));
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryOptimizer, ::testing::ValuesIn(optimizers().names()),
                         [](const auto& info) { return info.param; });

TEST(CheckLayout, SaysHowManyNumbersItExpects) {
  EXPECT_THAT(message_of<std::logic_error>([] { check_layout(16, 32, 32); }),
              HasSubstr("got 32 values and 32 gradients, expected 16"));
}

// Of 12 x 16 and 20 x 16 matrices, which are wide and tall. For a gradient of rank one, the step is that direction alone.
TEST(Muon, StepsHaveSingularValuesNearOne) {
  const ParameterLayout layout = with_matrices();
  Parameters<double> values(layout);
  Parameters<double> gradients(layout);
  initialize(gradients, 3);
  Threads threads(2);
  make_optimizer<double>("muon(weight_decay=0)", layout)->step(values, gradients, 1.0, 0.5, 0, threads);
  Index first = 0;
  for (const Index rows : {12, 20}) {
    const View<const double> step = std::as_const(values)["stacked"].row_range(first, rows);
    const double size = 0.5 * 0.2 * std::sqrt(static_cast<double>(std::max<Index>(rows, 16)));
    double squares = 0.0;
    double against = 0.0;
    for (Index r = 0; r < rows; ++r) {
      for (Index c = 0; c < 16; ++c) {
        squares += step(r, c) * step(r, c) / (size * size);
        against += step(r, c) * gradients["stacked"](first + r, c);
      }
    }
    const auto rank = static_cast<double>(std::min<Index>(rows, 16));
    EXPECT_GT(squares / rank, 0.7 * 0.7) << rows;
    EXPECT_LT(squares / rank, 1.2 * 1.2) << rows;
    EXPECT_LT(against, 0.0) << rows;
    first += rows;
  }
}

TEST(Muon, StepsWhatIsNoHiddenMatrixAsAdamW) {
  const ParameterLayout layout = with_matrices();
  Parameters<double> gradients(layout);
  initialize(gradients, 3);
  Threads threads(2);
  const auto stepped = [&](const std::string& name) {
    Parameters<double> values(layout);
    initialize(values, 1);
    const auto optimizer = make_optimizer<double>(name, layout);
    for (Index step = 0; step < 3; ++step) optimizer->step(values, gradients, 0.5, 0.1, step, threads);
    return std::vector<double>(values["embedding"].data, values["embedding"].data + 7 * 16);
  };
  EXPECT_EQ(stepped("muon"), stepped("adamw"));
}

TEST(Muon, NeedsAMatrixBetweenHiddenLayers) {
  ParameterLayout layout;
  Scope(layout).add_weight("embedding", {7, 16}, zeros());
  EXPECT_THAT(message_of<ConfigError>([&] { check_optimizer("muon", layout); }),
              HasSubstr("muon: the model has no matrices between hidden layers"));
  EXPECT_NO_THROW(check_optimizer("adamw", layout));
  EXPECT_NO_THROW(check_optimizer("muon", with_matrices()));
}

// The gradient of a parameter that no example uses is 0, and the square of a small one is rounded to 0: what is left of
// √v + ε is then ε.
TEST(Optimizer, TheFirstStepOfAdamWIsAtMostTheLearningRateForAnyGradient) {
  const std::vector<float> gradients_of_one = {0.0F,     1e-40F,   1e-30F, 1e-22F, 1e-20F,    2.6e-20F,
                                               4.8e-19F, 3.4e-18F, 1e-17F, 1e-16F, 1.08e-16F, 1.1e-16F,
                                               1e-15F,   1e-10F,   1.0F,   1e10F};
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
  for (const std::string epsilon : {"0", "1e-50", "1e-16"}) {
    EXPECT_THAT(
        message_of<ConfigError>([&] { make_optimizer<float>("adamw(epsilon=" + epsilon + ")", layout); }),
        "adamw: epsilon: got " + epsilon + ", expected a number of at least 2e-16");
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

}  // namespace
}  // namespace ordinal
