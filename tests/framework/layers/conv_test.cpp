// The branch conv by its definition.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "framework/core/errors.h"
#include "tests/framework/largest_difference.h"
#include "tests/framework/layers/branch_setting.h"

namespace ordinal {
namespace {

using testing::batch;
using testing::BranchCase;
using testing::BranchSetting;
using testing::random_rows;
using testing::seq_len;
using testing::width;

// Row t of sequence b; zeros outside of the sequence.
double element(const Tensor<double>& x, Index b, Index t, Index c) {
  return t < 0 || t >= seq_len ? 0.0 : x(b * seq_len + t, c);
}

void expect_conv(Index kernel, bool causal, Index first_offset) {
  const BranchSetting<double> setting({"conv(kernel=" + std::to_string(kernel) + ")", causal});
  const Tensor<double> x = random_rows<double>(batch * seq_len, width, 2);
  const Tensor<double> y = setting.forward(x);
  const View<const double> weight = setting.values["layer.weight"];
  const View<const double> bias = setting.values["layer.bias"];
  for (Index b = 0; b < batch; ++b) {
    for (Index t = 0; t < seq_len; ++t) {
      for (Index c = 0; c < width; ++c) {
        double expected = bias(0, c);
        for (Index i = 0; i < kernel; ++i) expected += weight(i, c) * element(x, b, t + first_offset - i, c);
        EXPECT_NEAR(y(b * seq_len + t, c), expected, 1e-13);
      }
    }
  }
}

TEST(Conv, IsAWeightedSumOfTheTokenAndThoseBeforeIt) {
  for (const Index kernel : {1, 2, 3, 4, 20}) expect_conv(kernel, true, 0);
}

TEST(Conv, IsCentredInABidirectionalModel) {
  expect_conv(1, false, 0);
  expect_conv(2, false, 0);
  expect_conv(3, false, 1);
  expect_conv(4, false, 1);
  expect_conv(5, false, 2);
}

TEST(Conv, HasAStateOnlyIfItLooksBackAndNotAhead) {
  const auto mixing = [](const BranchCase& what) { return BranchSetting<double>(what).layer.mixing(); };
  EXPECT_EQ(mixing({"conv(kernel=1)", true}), Mixing::none);
  EXPECT_EQ(mixing({"conv(kernel=1)", false}), Mixing::none);
  EXPECT_EQ(mixing({"conv(kernel=3)", true}), Mixing::cached);
  EXPECT_EQ(mixing({"conv(kernel=3)", false}), Mixing::uncached);
  EXPECT_TRUE(BranchSetting<double>({"conv(kernel=1)"}).layout.states().empty());
  EXPECT_TRUE(BranchSetting<double>({"conv(kernel=3)", false}).layout.states().empty());
  ASSERT_EQ(BranchSetting<double>({"conv(kernel=4)"}).layout.states().size(), 1U);
  EXPECT_EQ(BranchSetting<double>({"conv(kernel=4)"}).layout.states()[0].rows, 3);
}

}  // namespace
}  // namespace ordinal
