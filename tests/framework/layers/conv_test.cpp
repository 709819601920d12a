// The branch conv: where its kernel lies, and its state.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "framework/core/errors.h"
#include "tests/framework/layers/branch_setting.h"

namespace ordinal {
namespace {

using testing::batch;
using testing::BranchCase;
using testing::BranchSetting;
using testing::normal_tensor;
using testing::seq_len;
using testing::width;

// Row t of the first sequence.
std::vector<double> row_of(const Tensor<double>& y, Index t) {
  return {y.view().row(t), y.view().row(t) + width};
}

// The sum over the token and those before it is PyTorch's (branch_fixture_test.cpp).
TEST(Conv, IsCentredInABidirectionalModel) {
  const Tensor<double> x = normal_tensor<double>({batch * seq_len, width}, 2);
  for (const auto& [kernel, ahead] : {std::pair<Index, Index>{1, 0}, {2, 0}, {3, 1}, {4, 1}, {5, 2}}) {
    const std::string branch = "conv(kernel=" + std::to_string(kernel) + ")";
    const Tensor<double> causal = BranchSetting<double>({branch, true}).forward(x);
    const Tensor<double> centred = BranchSetting<double>({branch, false}).forward(x);
    for (Index t = 0; t + ahead < seq_len; ++t)
      EXPECT_EQ(row_of(centred, t), row_of(causal, t + ahead)) << branch << " row " << t;
  }
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
