// The branch gated_linear, whose results are PyTorch's (branch_fixture_test.cpp).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/core/errors.h"
#include "tests/framework/layers/branch_setting.h"

namespace ordinal {
namespace {

using testing::BranchSetting;
using testing::width;

TEST(GatedLinear, RefusesAGatedActivation) {
  EXPECT_THAT([] { BranchSetting<double>({"gated_linear(activation=swiglu)"}); },
              ::testing::ThrowsMessage<ConfigError>(
                  ::testing::AllOf(::testing::HasSubstr("gated_linear.activation: got 'swiglu'"),
                                   ::testing::HasSubstr("elementwise"))));
}

TEST(GatedLinear, HasFourTimesTheWidthOfTheModelByDefault) {
  EXPECT_EQ(BranchSetting<double>({"gated_linear"}).layout.find("layer.down.weight").shape,
            (Shape{width, 4 * width}));
  EXPECT_EQ(BranchSetting<double>({"gated_linear"}).layout.find("layer.up.weight").shape,
            (Shape{8 * width, width}));
}

}  // namespace
}  // namespace ordinal
