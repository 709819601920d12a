#include "framework/math/vector_math.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include "framework/math/functions.h"
#include "tests/framework/largest_difference.h"

namespace ordinal {
namespace {

using testing::larger_error;

std::vector<float> grid(float low, float high, int points) {
  std::vector<float> values;
  for (int i = 0; i <= points; ++i)
    values.push_back(low + (high - low) * static_cast<float>(i) / static_cast<float>(points));
  return values;
}

// One of the activation functions, and its derivative, of each element.
template <typename F>
void value_of(const float* x, float* y, Index n) {
  for (Index i = 0; i < n; ++i) y[i] = F::value(x[i]);
}
template <typename F>
void slope_of(const float* x, float* y, Index n) {
  for (Index i = 0; i < n; ++i) y[i] = F::backward(x[i], 1.0F);
}

double exact_logistic(double x) { return 1.0 / (1.0 + std::exp(-x)); }
double exact_cdf(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }
double exact_density(double x) { return std::exp(-0.5 * x * x) / std::sqrt(2.0 * std::numbers::pi); }
double two_u(double x) { return 2.0 * std::sqrt(2.0 / std::numbers::pi) * (x + 0.044715 * x * x * x); }

TEST(VectorMath, ExpOfZeroIsOneAndOfVeryLittleIsZero) {
  const std::vector<float> x = {0.0F, -88.0F, -1e30F, -std::numeric_limits<float>::infinity()};
  std::vector<float> y(x.size());
  vmath::exp_shifted(x.data(), 0.0F, y.data(), std::ssize(x));
  EXPECT_EQ(y, (std::vector<float>{1.0F, 0.0F, 0.0F, 0.0F}));
}

TEST(VectorMath, ANanStaysOne) {
  const std::vector<float> x(37, std::numeric_limits<float>::quiet_NaN());
  std::vector<float> y(x.size());
  EXPECT_TRUE(std::isnan(vmath::exp_shifted(x.data(), 0.0F, y.data(), std::ssize(x))));
  std::ranges::fill(y, 0.0F);
  value_of<vmath::Gelu<float>>(x.data(), y.data(), std::ssize(x));
  EXPECT_TRUE(std::ranges::all_of(y, [](float v) { return std::isnan(v); }));
}

struct FunctionCase {
  const char* name;
  void (*function)(const float*, float*, Index);
  double (*exact)(double);
  float low = -30.0F;
  float high = 30.0F;
  double bound = 5e-7;
  double (*scale)(double) = [](double x) { return std::max(1.0, std::abs(x)); };
};

class Functions : public ::testing::TestWithParam<FunctionCase> {};

TEST_P(Functions, KeepTheirStatedBound) {
  const std::vector<float> x = grid(GetParam().low, GetParam().high, 1'000'000);
  std::vector<float> y(x.size());
  GetParam().function(x.data(), y.data(), std::ssize(x));
  double worst = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto at = static_cast<double>(x[i]);
    const double error = std::abs(static_cast<double>(y[i]) - GetParam().exact(at));
    worst = larger_error(worst, error / GetParam().scale(at));
  }
  EXPECT_LT(worst, GetParam().bound);
}

double exact_exp(double x) { return std::exp(x); }

const FunctionCase function_cases[] = {
    {"exp", [](const float* x, float* y, Index n) { vmath::exp_shifted(x, 0.0F, y, n); }, exact_exp, -87.0F,
     88.0F, 3e-7, exact_exp},
    {"tanh", vmath::tanh, [](double x) { return std::tanh(x); }, -10.0F, 10.0F, 2e-6,
     [](double x) { return std::max(1e-30, std::abs(std::tanh(x))); }},
    {"tanh_near_zero", vmath::tanh, [](double x) { return std::tanh(x); }, -1e-6F, 1e-6F, 2e-7,
     [](double x) { return std::max(1e-30, std::abs(x)); }},
    {"softplus", vmath::softplus, [](double x) { return std::log1p(std::exp(x)); }, -80.0F, 30.0F, 4e-7,
     [](double x) { return std::log1p(std::exp(x)); }},
    {"gelu", value_of<vmath::Gelu<float>>, [](double x) { return x * exact_cdf(x); }},
    {"gelu_backward", slope_of<vmath::Gelu<float>>,
     [](double x) { return exact_cdf(x) + x * exact_density(x); }},
    {"gelu_tanh", value_of<vmath::GeluTanh<float>>,
     [](double x) { return 0.5 * x * (1.0 + std::tanh(0.5 * two_u(x))); }},
    {"gelu_tanh_backward", slope_of<vmath::GeluTanh<float>>,
     [](double x) {
       const double s = exact_logistic(two_u(x));
       const double slope = 2.0 * std::sqrt(2.0 / std::numbers::pi) * (1.0 + 3.0 * 0.044715 * x * x);
       return s + x * slope * s * (1.0 - s);
     }},
    {"silu", value_of<vmath::Silu<float>>, [](double x) { return x * exact_logistic(x); }},
    {"silu_backward", slope_of<vmath::Silu<float>>,
     [](double x) { return exact_logistic(x) * (1.0 + x * (1.0 - exact_logistic(x))); }},
    {"relu", value_of<vmath::Relu<float>>, [](double x) { return std::max(x, 0.0); }},
    {"relu_backward", slope_of<vmath::Relu<float>>, [](double x) { return x > 0.0 ? 1.0 : 0.0; }}};

INSTANTIATE_TEST_SUITE_P(All, Functions, ::testing::ValuesIn(function_cases),
                         [](const auto& info) { return std::string(info.param.name); });

// The tail of a vectorised loop and any alignment give what the body gives.
TEST(VectorMath, EveryLengthAndAlignmentGivesTheSameElements) {
  const std::vector<float> x = grid(-5.0F, 5.0F, 99);
  std::vector<float> whole(x.size());
  vmath::sigmoid(x.data(), whole.data(), std::ssize(x));
  for (Index first = 0; first < 17; ++first) {
    for (Index n = 0; n <= 70; ++n) {
      std::vector<float> part(static_cast<std::size_t>(n) + 1, -1.0F);
      vmath::sigmoid(x.data() + first, part.data(), n);
      for (Index i = 0; i < n; ++i) {
        ASSERT_FLOAT_EQ(part[static_cast<std::size_t>(i)], whole[static_cast<std::size_t>(first + i)]);
      }
      ASSERT_EQ(part.back(), -1.0F);  // nothing is written past the end
    }
  }
}

TEST(VectorMath, AddRowsAddsEachColumn) {
  for (Index rows = 0; rows <= 9; ++rows) {
    for (const Index cols : {1, 16, 37}) {
      const Index stride = cols + 3;
      std::vector<double> x(static_cast<std::size_t>(rows * stride));
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>((i * 37) % 19) - 9.0;
      std::vector<double> y(static_cast<std::size_t>(cols), 2.0);
      std::vector<double> expected = y;
      for (Index r = 0; r < rows; ++r) {
        for (Index c = 0; c < cols; ++c)
          expected[static_cast<std::size_t>(c)] += x[static_cast<std::size_t>(r * stride + c)];
      }
      vmath::add_rows<double>({x.data(), rows, cols, stride}, y.data());
      EXPECT_EQ(y, expected) << rows << " rows of " << cols;
    }
  }
}

// Whole vectors, their halves and what is left after them.
TEST(VectorMath, SumsOfAnyLengthAreThoseOfALoop) {
  const std::vector<float> x = grid(-3.0F, 5.0F, 99);
  const std::vector<double> wide(x.begin(), x.end());
  for (Index n = 1; n <= 70; ++n) {
    double sum = 0.0;
    double dot = 0.0;
    double squares = 0.0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
      const double y = wide[i + 7];
      sum += wide[i];
      dot += wide[i] * y;
      squares += (wide[i] - 0.25) * (wide[i] - 0.25);
    }
    EXPECT_NEAR(vmath::sum(x.data(), n), sum, 2e-5) << n;
    EXPECT_NEAR(vmath::dot(x.data(), x.data() + 7, n), dot, 5e-5) << n;
    EXPECT_NEAR(vmath::squares(x.data(), 0.25F, n), squares, 5e-5) << n;
    EXPECT_NEAR(vmath::sum(wide.data(), n), sum, 1e-12) << n;
    EXPECT_NEAR(vmath::dot(wide.data(), wide.data() + 7, n), dot, 1e-12) << n;
    EXPECT_NEAR(vmath::squares(wide.data(), 0.25, n), squares, 1e-12) << n;
  }
}

TEST(VectorMath, TheLargestIsFoundAtAnyPlaceOfAnyLength) {
  for (Index n = 1; n <= 50; ++n) {
    std::vector<float> x = grid(-9.0F, -1.0F, static_cast<int>(n));
    std::vector<double> wide(x.begin(), x.end());
    for (std::size_t place = 0; place < static_cast<std::size_t>(n); ++place) {
      const float before = std::exchange(x[place], -0.5F);
      wide[place] = -0.5;
      EXPECT_EQ(vmath::max(x.data(), n), -0.5F) << place << " of " << n;
      EXPECT_EQ(vmath::max(wide.data(), n), -0.5) << place << " of " << n;
      x[place] = before;
      wide[place] = static_cast<double>(before);
    }
  }
}

TEST(VectorMath, SoftmaxExponentialsAreThoseOfTheRowBelowItsLargest) {
  std::vector<double> row = {1.0, 3.0, -2.0};
  const auto [largest, total] = vmath::softmax_exponentials(row.data(), 3);
  EXPECT_EQ(largest, 3.0);
  EXPECT_NEAR(total, 1.0 + std::exp(-2.0) + std::exp(-5.0), 1e-15);
  EXPECT_EQ(row, (std::vector<double>{std::exp(-2.0), 1.0, std::exp(-5.0)}));
}

}  // namespace
}  // namespace ordinal
