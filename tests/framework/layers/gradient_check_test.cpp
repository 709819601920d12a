// The test of the test: every common mistake in backward must be caught, under the right name.
#include "framework/layers/gradient_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace ordinal {
namespace {

using ::testing::HasSubstr;

enum class Fault {
  none,
  wrong_sign,
  missing_factor,
  forgotten_accumulation,
  wrong_parameter_gradient,
  one_wrong_element,
  leftover_save,
  wrong_restore_order,
  changed_input,
  unrepeatable,
};

// y = g ⊙ x² with a gain g for each column, and a selectable fault.
class Faulty final : public Layer<double> {
 public:
  Faulty(Fault fault, const Scope& scope) : fault_(fault), gain_(scope.add("gain", {4}, ones())) {}

  Index input_width() const override { return 4; }
  Index output_width() const override { return 4; }

  View<const double> forward(View<const double> x, Pass<double>& pass) const override {
    const View<const double> gain = pass.value(gain_);
    const View<double> y = pass.allocate(x.rows, x.cols);
    for (Index r = 0; r < x.rows; ++r) {
      for (Index c = 0; c < x.cols; ++c) y(r, c) = gain(0, c) * x(r, c) * x(r, c);
    }
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): the fault that the check must find
    if (fault_ == Fault::changed_input) const_cast<double&>(x(0, 0)) += 1.0;
    pass.save("Faulty", x);
    if (fault_ == Fault::leftover_save) pass.save("Faulty", y);
    if (fault_ == Fault::wrong_restore_order) pass.save("Other", y);
    return y;
  }

  View<const double> backward(View<const double> dy, Pass<double>& pass) const override {
    const View<const double> x = pass.restore("Faulty");
    const View<const double> gain = pass.value(gain_);
    const View<double> d_gain = pass.gradient(gain_);
    const View<double> dx = pass.allocate(x.rows, x.cols);
    const double factor = fault_ == Fault::wrong_sign ? -2.0 : (fault_ == Fault::missing_factor ? 1.0 : 2.0);
    std::vector<double> total(4);
    for (Index r = 0; r < x.rows; ++r) {
      for (Index c = 0; c < x.cols; ++c) {
        dx(r, c) = factor * gain(0, c) * x(r, c) * dy(r, c);
        total[static_cast<std::size_t>(c)] += x(r, c) * x(r, c) * dy(r, c);
      }
    }
    for (Index c = 0; c < 4; ++c) {
      const double sum =
          total[static_cast<std::size_t>(c)] * (fault_ == Fault::wrong_parameter_gradient ? 1.001 : 1.0);
      d_gain(0, c) = fault_ == Fault::forgotten_accumulation ? sum : d_gain(0, c) + sum;
    }
    if (fault_ == Fault::one_wrong_element) dx(1, 2) += 1e-4;
    if (fault_ == Fault::unrepeatable) dx(0, 0) += 1e-13 * static_cast<double>(++calls_);
    return dx;
  }

 private:
  Fault fault_;
  Slot gain_;
  mutable int calls_ = 0;
};

GradientReport check(Fault fault) {
  return check_layer([fault](const Scope& scope) { return std::make_unique<Faulty>(fault, scope); });
}

TEST(GradientCheck, PassesACorrectLayer) {
  EXPECT_TRUE(check(Fault::none).ok()) << check(Fault::none).text();
}

struct Case {
  const char* name;
  Fault fault;
  const char* message;
};

class WrongBackward : public ::testing::TestWithParam<Case> {};

TEST_P(WrongBackward, IsCaught) {
  EXPECT_THAT(check(GetParam().fault).text(), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    All, WrongBackward,
    ::testing::Values(Case{"Sign", Fault::wrong_sign, "finite differences of the input"},
                      Case{"Factor", Fault::missing_factor, "finite differences of the input"},
                      Case{"Accumulation", Fault::forgotten_accumulation, "accumulation"},
                      Case{"Parameter", Fault::wrong_parameter_gradient, "finite differences of layer.gain"},
                      Case{"Element", Fault::one_wrong_element, "finite differences of the input"},
                      Case{"Leftover", Fault::leftover_save,
                           "Faulty saved something that no backward restored"},
                      Case{"Order", Fault::wrong_restore_order, "Faulty restores what Other saved"},
                      Case{"Input", Fault::changed_input, "x was changed"},
                      Case{"Repeat", Fault::unrepeatable, "a second backward gives other gradients"}),
    [](const auto& info) { return info.param.name; });

// As of whole models (tests/models/every_model_test.cpp). Each element counts.
TEST(GradientCheck, OfAFunctionOfParametersCatchesAnyWrongElement) {
  constexpr std::size_t size = 100;
  ParameterLayout layout;
  Scope(layout, "f").add("x", {size}, constant(0.5));
  Parameters<double> values(layout);
  initialize(values, 1);
  const auto loss = [](const Parameters<double>& at) {
    double sum = 0.0;
    for (const double x : at.flat()) sum += x * x;
    return sum;
  };
  for (std::size_t wrong = 0; wrong <= size; ++wrong) {
    const auto gradient = [&](const Parameters<double>& at, Parameters<double>& result) {
      for (std::size_t i = 0; i < size; ++i)
        result.flat()[i] += (i == wrong ? 2.0 + 2e-5 : 2.0) * at.flat()[i];
    };
    EXPECT_EQ(check_parameters(values, loss, gradient).ok(), wrong == size) << wrong;
  }
}

}  // namespace
}  // namespace ordinal
