// The branch gated_linear by its definition.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

template <typename T>
void expect_swiglu(bool bias) {
  BranchSetting<T> gated({"gated_linear(activation=silu, ff=12)", true, bias});
  BranchSetting<T> feed_forward({"feed_forward(activation=swiglu, ff=12)", true, bias});
  ASSERT_TRUE(std::ranges::equal(gated.values.flat(), feed_forward.values.flat()));
  const Tensor<T> x = random_rows<T>(batch * seq_len, width, 2);
  const Tensor<T> dy = random_rows<T>(batch * seq_len, width, 3);
  const auto a = gated.forward_and_backward(x, dy);
  const auto b = feed_forward.forward_and_backward(x, dy);
  EXPECT_TRUE(std::ranges::equal(a.y.span(), b.y.span()));
  EXPECT_TRUE(std::ranges::equal(a.dx.span(), b.dx.span()));
  EXPECT_TRUE(std::ranges::equal(gated.gradients.flat(), feed_forward.gradients.flat()));
}

TEST(GatedLinear, WithSiluIsFeedForwardWithSwigluToTheBit) {
  for (const bool bias : {true, false}) {
    expect_swiglu<float>(bias);
    expect_swiglu<double>(bias);
  }
}

TEST(GatedLinear, RefusesAGatedActivation) {
  try {
    const BranchSetting<double> setting({"gated_linear(activation=swiglu)"});
    FAIL() << "a gated activation was taken";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("gated_linear.activation: got 'swiglu'"));
    EXPECT_THAT(error.what(), ::testing::HasSubstr("elementwise"));
  }
}

TEST(GatedLinear, HasFourTimesTheWidthOfTheModelByDefault) {
  EXPECT_EQ(BranchSetting<double>({"gated_linear"}).layout.find("layer.down.weight").shape,
            (Shape{width, 4 * width}));
  EXPECT_EQ(BranchSetting<double>({"gated_linear"}).layout.find("layer.up.weight").shape,
            (Shape{8 * width, width}));
}

}  // namespace
}  // namespace ordinal
