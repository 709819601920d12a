// The contract of every branch of a block, beside that of every layer (gradient_test.cpp): what tokens of a batch see.
// Iterates over the registry, so a new branch is tested without being named here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/framework/layers/branch_setting.h"

namespace ordinal {
namespace {

using testing::batch;
using testing::BranchCase;
using testing::BranchSetting;
using testing::normal_tensor;
using testing::seq_len;
using testing::Specimen;
using testing::width;

bool same_row(const Tensor<double>& a, const Tensor<double>& b, Index row) {
  return std::equal(a.view().row(row), a.view().row(row) + a.view().cols, b.view().row(row));
}

// The text of --list NAME is enough to write a branch again.
TEST(BranchDefinition, NamesEveryParameterInFull) {
  for (const std::string name :
       {"attention", "feed_forward", "gated_linear", "conv", "lstm", "linear_attention"}) {
    const LayerEntry& entry = layers(LayerKind::branch).find(name);
    ParameterLayout layout;
    const Specimen<double> branch({.branch = entry.name}, Scope(layout, "block.N." + entry.name));
    for (const ParameterSpec& spec : layout.specs())
      EXPECT_THAT(entry.definition, ::testing::HasSubstr("\n  " + spec.name + " "));
    for (const OptionSpec& option : entry.options())
      EXPECT_THAT(entry.definition, ::testing::HasSubstr(option.name)) << name;
  }
}

class EveryBranch : public ::testing::TestWithParam<BranchCase> {};

TEST_P(EveryBranch, SequencesOfABatchDoNotMeet) {
  const BranchSetting<double> setting(GetParam());
  const Tensor<double> x = normal_tensor<double>({batch * seq_len, width}, 2);
  Tensor<double> changed = x;
  for (Index c = 0; c < width; ++c) changed(seq_len, c) += 1.0;
  const Tensor<double> y = setting.forward(x);
  const Tensor<double> changed_y = setting.forward(changed);
  for (Index t = 0; t < seq_len; ++t) EXPECT_TRUE(same_row(y, changed_y, t)) << t;
  bool changes = false;
  for (Index t = seq_len; t < 2 * seq_len; ++t) changes = changes || !same_row(y, changed_y, t);
  EXPECT_TRUE(changes) << "the branch does not depend on its input";
}

TEST_P(EveryBranch, ATokenChangesOtherRowsIfItSaysSoAndNoEarlierOnesInACausalModel) {
  const BranchSetting<double> setting(GetParam());
  const Tensor<double> x = normal_tensor<double>({seq_len, width}, 2);
  const Tensor<double> y = setting.forward(x, 1);
  bool mixes = false;
  bool changes = false;
  for (Index t = 0; t < seq_len; ++t) {
    Tensor<double> changed = x;
    for (Index c = 0; c < width; ++c) changed(t, c) += 1.0;
    const Tensor<double> changed_y = setting.forward(changed, 1);
    changes = changes || !same_row(y, changed_y, t);
    for (Index other = 0; other < seq_len; ++other) {
      const bool same = same_row(y, changed_y, other);
      mixes = mixes || (other != t && !same);
      EXPECT_TRUE(same || other >= t || !GetParam().causal) << t << " changes " << other;
    }
  }
  EXPECT_EQ(mixes, setting.layer.mixing() != Mixing::none);
  EXPECT_TRUE(changes || mixes) << "the branch does not depend on its input";
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryBranch, ::testing::ValuesIn(testing::branch_cases()),
                         [](const auto& info) { return testing::name_of_branch(info.param); });

}  // namespace
}  // namespace ordinal
