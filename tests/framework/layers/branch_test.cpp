// The contract of every branch of a block. Iterates over the registry, so a new branch is tested without being named
// here.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <vector>

#include "framework/layers/gradient_check.h"
#include "tests/framework/largest_difference.h"
#include "tests/framework/layers/branch_setting.h"
#include "tests/models/model_rig.h"

namespace ordinal {
namespace {

using testing::batch;
using testing::BranchCase;
using testing::BranchSetting;
using testing::largest_difference;
using testing::normal_tensor;
using testing::seq_len;
using testing::Specimen;
using testing::width;

std::vector<BranchCase> cases() {
  std::vector<std::string> branches = testing::branches_with_options();
  const std::vector<std::string> together = {
      "attention(weights=softmax)",
      "conv(kernel=1)",
      "gated_linear(activation=relu, ff=6)",
      "feed_forward(activation=swiglu, ff=6)",
      "attention(weights=sink, window=5, qk_norm=layernorm, softcap=0.5)",
      "attention(window=20, qk_norm=rmsnorm, softcap=0.5)"};
  branches.insert(branches.end(), together.begin(), together.end());
  std::vector<BranchCase> all;
  for (const std::string& branch : branches) {
    for (const bool bias : {true, false}) {
      for (const bool causal : {true, false}) all.push_back({branch, causal, bias});
    }
  }
  std::erase_if(all, [](const BranchCase& what) { return !testing::is_defined(what); });
  return all;
}

std::string name_of(const ::testing::TestParamInfo<BranchCase>& info) {
  std::string name = info.param.branch + (info.param.causal ? "_causal" : "_bidirectional") +
                     (info.param.bias ? "" : "_without_bias");
  std::erase_if(name, [](char c) { return c == ' ' || c == ')'; });
  std::ranges::replace_if(
      name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

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

TEST_P(EveryBranch, BackwardIsTheGradient) {
  for (const Index length : {1, 5}) {
    const GradientReport report = check_layer(
        [](const Scope& scope) { return std::make_unique<Specimen<double>>(GetParam(), scope); }, length);
    EXPECT_TRUE(report.ok()) << report.text() << "at length " << length;
  }
}

TEST_P(EveryBranch, FloatFollowsDouble) {
  BranchSetting<float> in_float(GetParam());
  BranchSetting<double> in_double(GetParam());
  std::ranges::copy(in_float.values.flat(), in_double.values.flat().begin());
  const auto y = in_float.forward_and_backward(normal_tensor<float>({batch * seq_len, width}, 2),
                                               normal_tensor<float>({batch * seq_len, width}, 3));
  const auto exact = in_double.forward_and_backward(normal_tensor<double>({batch * seq_len, width}, 2),
                                                    normal_tensor<double>({batch * seq_len, width}, 3));
  const auto size = [](const Tensor<double>& x) {
    return 1.0 + largest_difference(x, Tensor<double>(x.shape()));
  };
  EXPECT_LT(largest_difference(y.y.span(), exact.y.span()), 5e-6 * size(exact.y));
  EXPECT_LT(largest_difference(y.dx.span(), exact.dx.span()), 5e-5 * size(exact.dx));
}

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

INSTANTIATE_TEST_SUITE_P(Registry, EveryBranch, ::testing::ValuesIn(cases()), name_of);

class EveryBranchThatContinues : public ::testing::TestWithParam<BranchCase> {};

TEST_P(EveryBranchThatContinues, StepByStepEqualsOneRun) {
  const ModelConfig config{.vocab_size = 7,
                           .d_model = width,
                           .layers = 1,
                           .n_kv_heads = 2,
                           .block = GetParam().branch,
                           .causal = GetParam().causal,
                           .bias = GetParam().bias,
                           .encoding = "none"};
  const testing::ModelRig<double> exact(config);
  const testing::ModelRig<float> in_float(config);
  for (const Index step : {1, 3, 5, 7, 15}) {
    EXPECT_LT(testing::difference_in_steps(exact, batch, seq_len, step), 1e-12) << "in runs of " << step;
    EXPECT_LT(testing::difference_in_steps(in_float, batch, seq_len, step), 1e-4) << "in runs of " << step;
  }
}

std::vector<BranchCase> cases_that_continue() {
  std::vector<BranchCase> all = cases();
  std::erase_if(all, [](const BranchCase& one) {
    return BranchSetting<double>(one).layer.mixing() == Mixing::uncached;
  });
  return all;
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryBranchThatContinues, ::testing::ValuesIn(cases_that_continue()),
                         name_of);

}  // namespace
}  // namespace ordinal
