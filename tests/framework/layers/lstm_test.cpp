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
using testing::largest_difference;
using testing::normal_tensor;
using testing::seq_len;
using testing::width;

// With a bias of 0 it is PyTorch's (branch_fixture_test.cpp).
TEST(Lstm, TheForgetBiasIsAddedToTheBiasOfItsGate) {
  const BranchSetting<double> own({"lstm(hidden=5, forget_bias=1.5)"});
  BranchSetting<double> added({"lstm(hidden=5, forget_bias=0)"});
  ASSERT_TRUE(std::ranges::equal(own.values.flat(), added.values.flat()));
  const Tensor<double> x = normal_tensor<double>({batch * seq_len, width}, 2);
  EXPECT_GT(largest_difference(own.forward(x), added.forward(x)), 1e-3);
  for (Index k = 5; k < 10; ++k) added.values["layer.input.bias"](0, k) += 1.5;  // gates: i, f, g, o
  EXPECT_LT(largest_difference(own.forward(x), added.forward(x)), 1e-12);
}

TEST(Lstm, ReadsFromLeftToRightInAnEncoderToo) {
  const Tensor<double> x = normal_tensor<double>({batch * seq_len, width}, 2);
  const Tensor<double> causal = BranchSetting<double>({"lstm", true}).forward(x);
  const Tensor<double> bidirectional = BranchSetting<double>({"lstm", false}).forward(x);
  EXPECT_TRUE(std::ranges::equal(causal.span(), bidirectional.span()));
}

TEST(Lstm, StaysFiniteFarFromZero) {
  BranchSetting<float> setting({"lstm"});
  for (float& value : setting.values.flat()) value *= 1000.0F;
  const auto results = setting.forward_and_backward(normal_tensor<float>({batch * seq_len, width}, 2),
                                                    normal_tensor<float>({batch * seq_len, width}, 3));
  for (const float value : results.y.span()) ASSERT_TRUE(std::isfinite(value));
  for (const float value : results.dx.span()) ASSERT_TRUE(std::isfinite(value));
}

}  // namespace
}  // namespace ordinal
