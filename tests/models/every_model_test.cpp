// What holds for every model, whatever parts and options it has (model_cases.h).
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/framework/largest_difference.h"
#include "tests/models/model_cases.h"

namespace ordinal {
namespace {

using testing::case_batch;
using testing::case_length;
using testing::case_vocabulary;
using testing::irregular_positions;
using testing::largest_difference;
using testing::ModelCase;
using testing::ModelRig;

std::vector<Token> some_tokens(Index count = case_batch * case_length) {
  return testing::random_tokens(count, case_vocabulary);
}

Positions counted_positions() { return Positions::contiguous(case_batch, case_length); }

class EveryModel : public ::testing::TestWithParam<ModelCase> {};

TEST_P(EveryModel, BackwardIsTheGradient) {
  std::vector<Positions> all = {counted_positions()};
  if (GetParam().of_encoding) all.push_back(irregular_positions());
  for (const Positions& positions : all) {
    const GradientReport report = testing::check_model(GetParam().config, positions);
    EXPECT_TRUE(report.ok()) << report.text();
  }
}

// Evenly spaced positions, as in training, may be treated in a faster way (ScoreDistances, Transformer-XL), which must change
// neither results nor gradients. The fixtures of PyTorch have irregular positions.
TEST_P(EveryModel, AlmostEvenlySpacedPositionsGiveAlmostTheSame) {
  const ModelRig<double> rig(GetParam().config);
  const std::vector<Token> tokens = some_tokens();
  const std::vector<Token> targets = testing::random_tokens(case_batch * case_length, case_vocabulary, 2);
  std::vector<double> almost;
  for (Index t = 0; t < case_length; ++t)
    almost.push_back(static_cast<double>(t) + (t % 2 == 0 ? 1e-8 : 0.0));
  const auto outcome = [&](const Positions& positions) {
    std::vector<double> numbers = rig.logits(tokens, {.positions = positions});
    Parameters<double> gradients(rig.model.layout());
    rig.backward(tokens, targets, positions, gradients);
    numbers.insert(numbers.end(), gradients.flat().begin(), gradients.flat().end());
    return numbers;
  };
  EXPECT_LT(largest_difference(outcome(counted_positions()), outcome(Positions::shared(case_batch, almost))),
            1e-5);
}

TEST_P(EveryModel, FloatFollowsDouble) {
  const ModelRig<float> in_float(GetParam().config);
  const ModelRig<double> in_double(GetParam().config);
  const std::vector<Token> tokens = some_tokens();
  EXPECT_LT(largest_difference(in_float.logits(tokens, {.positions = irregular_positions()}),
                               in_double.logits(tokens, {.positions = irregular_positions()})),
            1e-4);
}

TEST_P(EveryModel, ARepeatGivesEqualBits) {
  const ModelRig<float> rig(GetParam().config);
  const std::vector<Token> tokens = some_tokens();
  EXPECT_EQ(rig.logits(tokens, {.positions = counted_positions()}),
            rig.logits(tokens, {.positions = counted_positions()}));
}

TEST_P(EveryModel, PositionsGivenToEachSequenceEqualSharedOnes) {
  const ModelRig<double> rig(GetParam().config);
  const std::vector<Token> tokens = some_tokens();
  std::vector<double> positions;
  for (Index i = 0; i < case_batch * case_length; ++i)
    positions.push_back(static_cast<double>(i % case_length));
  EXPECT_EQ(rig.logits(tokens, {.positions = counted_positions()}),
            rig.logits(tokens, {.positions = Positions::per_sequence(case_batch, positions)}));
}

// A user-defined branch may have no state: then the model must reject a cache instead of giving other logits. So does an
// encoder whose tokens see later ones.
TEST_P(EveryModel, StepByStepEqualsOneRunOrTheCacheIsRefused) {
  const ModelRig<double> exact(GetParam().config);
  const ModelRig<float> in_float(GetParam().config);
  constexpr Index length = 15;
  if (!exact.model.can_continue()) {
    EXPECT_THROW(testing::difference_in_steps(exact, case_batch, length, 1), std::invalid_argument);
    return;
  }
  for (const Index step : {1, 2, 3, 5, 7, 15}) {
    for (const double start : {0.0, 13.0}) {
      EXPECT_LT(testing::difference_in_steps(exact, case_batch, length, step, start), 1e-12)
          << "in runs of " << step << " from " << start;
    }
    EXPECT_LT(testing::difference_in_steps(in_float, case_batch, length, step), 1e-4)
        << "in runs of " << step;
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryModel, ::testing::ValuesIn(testing::model_cases()),
                         testing::name_of_case);

TEST(StepByStep, IsPossibleWithEveryBranchOfTheFrameworkAndEveryCausalEncoding) {
  for (const std::string block :
       {"attention", "linear_attention", "feed_forward", "gated_linear", "conv", "lstm"})
    EXPECT_TRUE(Transformer<float>({.block = block, .encoding = "none"}).can_continue()) << block;
  for (const ModelCase& one : testing::encoding_cases())
    EXPECT_EQ(Transformer<float>(one.config).can_continue(), one.config.causal) << one.name;
}

class EveryCausalModel : public ::testing::TestWithParam<ModelCase> {};

TEST_P(EveryCausalModel, ALaterTokenChangesNoEarlierLogit) {
  const ModelRig<float> rig(GetParam().config);
  const std::vector<Token> tokens = some_tokens(case_length);
  const std::vector<float> before = rig.logits(tokens, {.positions = Positions::contiguous(1, case_length)});
  for (std::size_t changed = 1; changed < tokens.size(); ++changed) {
    std::vector<Token> other = tokens;
    other[changed] = (other[changed] + 1) % static_cast<Token>(case_vocabulary);
    const std::vector<float> after = rig.logits(other, {.positions = Positions::contiguous(1, case_length)});
    const auto boundary = static_cast<std::ptrdiff_t>(changed) * case_vocabulary;
    EXPECT_TRUE(std::equal(before.begin(), before.begin() + boundary, after.begin())) << "token " << changed;
    EXPECT_FALSE(std::equal(before.begin() + boundary, before.end(), after.begin() + boundary))
        << "token " << changed;
  }
}

TEST_P(EveryCausalModel, ALongerSequenceLeavesEarlierLogitsAsTheyWere) {
  const ModelRig<double> rig(GetParam().config);
  const std::vector<Token> tokens = some_tokens(12);
  const std::vector<Token> start(tokens.begin(), tokens.begin() + 5);
  std::vector<double> whole = rig.logits(tokens, {.positions = Positions::contiguous(1, 12)});
  whole.resize(5 * case_vocabulary);
  EXPECT_LT(largest_difference(rig.logits(start, {.positions = Positions::contiguous(1, 5)}), whole), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryCausalModel,
                         ::testing::ValuesIn(testing::those_of(
                             testing::model_cases(), [](const ModelCase& c) { return c.config.causal; })),
                         testing::name_of_case);

}  // namespace
}  // namespace ordinal
