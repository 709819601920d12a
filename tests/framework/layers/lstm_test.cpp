// The branch lstm by its definition.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "framework/core/errors.h"
#include "tests/framework/largest_difference.h"
#include "tests/framework/layers/branch_setting.h"

namespace ordinal {
namespace {

using testing::batch;
using testing::BranchSetting;
using testing::random_rows;
using testing::seq_len;
using testing::width;

double sigma(double x) { return 1.0 / (1.0 + std::exp(-x)); }

// Row `row` of a matrix, times v.
double product(View<const double> weight, Index row, const std::vector<double>& v) {
  double sum = 0.0;
  for (std::size_t k = 0; k < v.size(); ++k) sum += weight(row, static_cast<Index>(k)) * v[k];
  return sum;
}

TEST(Lstm, FollowsItsRecurrence) {
  for (const Index hidden : {5, 8, 11}) {
    const double forget_bias = hidden == 5 ? 0.0 : 1.5;
    const BranchSetting<double> setting(
        {fmt::format("lstm(hidden={}, forget_bias={})", hidden, forget_bias)});
    const auto value = [&](const char* name) { return setting.values[std::string("layer.") + name]; };
    const Tensor<double> x = random_rows<double>(batch * seq_len, width, 2);
    const Tensor<double> y = setting.forward(x);
    for (Index b = 0; b < batch; ++b) {
      std::vector<double> h(static_cast<std::size_t>(hidden), 0.0);
      std::vector<double> c = h;
      for (Index t = 0; t < seq_len; ++t) {
        const double* row = x.view().row(b * seq_len + t);
        const std::vector<double> in(row, row + width);
        const std::vector<double> before = h;
        for (Index k = 0; k < hidden; ++k) {
          const auto z = [&](Index gate) {
            const Index at = gate * hidden + k;
            return product(value("input.weight"), at, in) + value("input.bias")(0, at) +
                   product(value("recurrent.weight"), at, before);
          };
          double& cell = c[static_cast<std::size_t>(k)];
          cell = sigma(z(1) + forget_bias) * cell + sigma(z(0)) * std::tanh(z(2));
          h[static_cast<std::size_t>(k)] = sigma(z(3)) * std::tanh(cell);
        }
        for (Index k = 0; k < width; ++k) {
          const double expected = product(value("output.weight"), k, h) + value("output.bias")(0, k);
          EXPECT_NEAR(y(b * seq_len + t, k), expected, 1e-12);
        }
      }
    }
  }
}

TEST(Lstm, ReadsFromLeftToRightInAnEncoderToo) {
  const Tensor<double> x = random_rows<double>(batch * seq_len, width, 2);
  const Tensor<double> causal = BranchSetting<double>({"lstm", true}).forward(x);
  const Tensor<double> bidirectional = BranchSetting<double>({"lstm", false}).forward(x);
  EXPECT_TRUE(std::ranges::equal(causal.span(), bidirectional.span()));
}

TEST(Lstm, StaysFiniteFarFromZero) {
  BranchSetting<float> setting({"lstm"});
  for (float& value : setting.values.flat()) value *= 1000.0F;
  const auto results = setting.forward_and_backward(random_rows<float>(batch * seq_len, width, 2),
                                                    random_rows<float>(batch * seq_len, width, 3));
  for (const float value : results.y.span()) ASSERT_TRUE(std::isfinite(value));
  for (const float value : results.dx.span()) ASSERT_TRUE(std::isfinite(value));
}

}  // namespace
}  // namespace ordinal
