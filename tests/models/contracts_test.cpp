// What public entries of the library need is checked, and refused as their headers say. (Configs of models are refused in
// transformer_test.cpp, batches in tests/framework/training/trainer_test.cpp.)
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "framework/attention/attention.h"
#include "framework/core/decode_cache.h"
#include "framework/math/blas.h"
#include "framework/training/evaluation.h"
#include "framework/training/instance.h"
#include "models/generation.h"
#include "tests/framework/training/small_model.h"
#include "tests/message_of.h"

namespace ordinal::testing {
namespace {

constexpr Index huge = Index{1} << 40;

struct Refusal {
  std::string message;
  std::function<void()> entry;
};

template <typename Error>
void expect_refused(const std::vector<Refusal>& refusals) {
  for (const Refusal& refusal : refusals)
    EXPECT_THAT(message_of<Error>(refusal.entry), ::testing::HasSubstr(refusal.message));
}

TEST(Contracts, SizesThatCannotBeAreRefused) {
  const ParameterLayout layout;
  expect_refused<std::invalid_argument>({
      {"Shape (1099511627776, 1099511627776): more elements than memory",
       [] {
         Tensor<float>({huge, huge});
       }},
      {"Shape (1099511627776, 8388608, 2): more elements than memory",
       [] {
         Tensor<float>({huge, huge >> 17, 2});
       }},
      {"Shape (-1): negative extent", [] { Positions::contiguous(1, -1); }},
      {"Shape (-1, 3): negative extent", [] { Positions::contiguous(-1, 3); }},
      {"Shape (-2, 1): negative extent", [] { Positions::shared(-2, {1.0}); }},
      {"Shape (2, -1): negative extent", [&] { DecodeCache<float>(layout, 2, -1); }},
      {"got -1 threads and 0 guests, expected at least 0", [] { Threads(-1); }},
      {"got 2 threads and -5 guests, expected at least 0", [] { Threads(2, -5); }},
      {"seq_len: got 0, expected at least 1", [] { sequences_at_once(0); }},
      {"Shape (1099511627776, 1099511627776): more",
       [] {
         check_batch({huge, huge, {}, {}}, 5);
       }},
  });
  EXPECT_EQ(element_count({huge, 1 << 19}), Index{1} << 59);
  EXPECT_EQ(element_count({0, huge}), 0);
}

TEST(Contracts, ShapesWithoutHeadsOrLengthsAreRefused) {
  ParameterLayout layout;
  const auto build = [&](const ModelShape& shape) {
    return [&layout, shape] { make_positional_encoding<float>("rope", shape, Scope(layout, "positional")); };
  };
  expect_refused<std::invalid_argument>({
      {"ModelShape: got heads 0, expected at least 1", build({.heads = 0})},
      {"ModelShape: got d_model -8, expected at least 1", build({.d_model = -8})},
      {"ModelShape: got n_kv_heads 0, expected at least 1", build({.n_kv_heads = 0})},
      {"ModelShape: got layers -1, expected at least 0", build({.layers = -1})},
      {"ModelShape: got train_length 0, expected at least 1", build({.train_length = 0})},
  });
  const auto none = make_positional_encoding<float>("none", {}, Scope(layout));
  const LayerContext<float> context{.shape = {.d_model = 8}, .encoding = none.get()};
  const Scope scope(layout, "attention");
  expect_refused<std::invalid_argument>({{"SelfAttention: got blocks of 0 rows, expected at least 1",
                                          [&] { SelfAttention<float>(context, {}, scope, {.rows = 0}); }}});
  expect_refused<ConfigError>({{"attention: softcap: got -1, expected a number from 0 to 1000",
                                [&] { SelfAttention<float>(context, {.softcap = -1.0}, scope); }}});
}

TEST(Contracts, ARunWithoutATokenIsRefused) {
  for (const std::string encoding : {"none", "sinusoidal", "rope", "transformer_xl", "cope", "path"}) {
    ModelConfig config = small_config();
    config.encoding = encoding;
    const Instance<float> instance(std::make_unique<Transformer<float>>(config));
    expect_refused<std::invalid_argument>(
        {{"Pass: got 1 sequences of 0 tokens, expected at least 1 of each", [&] { instance.logits({}); }}});
  }
}

TEST(Contracts, OptionsThatAreSetInCodeAreCheckedLikeThoseOfAConfig) {
  const ModelRig<float> rig(small_config());
  const std::vector<Token> prompt = {1, 2, 3};
  const auto generated = [&](const GenerationOptions& options) {
    return [&, options] { generate<float>(rig.model, rig.values, prompt, options); };
  };
  const auto trained = [](const auto& change) {
    TrainerOptions options = options_with(1);
    change(options);
    return [options] { const SmallTraining training(options); };
  };
  PositionScheme scheme = make_position_scheme("randomized");
  scheme.max_position = -4;
  Threads one(1);
  Random random({});
  const std::vector<float> logits = {1.0F, 2.0F};
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  expect_refused<ConfigError>({
      {"generate: temperature: got -1, expected a number of at least 0", generated({.temperature = -1.0})},
      {"generate: temperature: got 'nan', expected a number", generated({.temperature = nan})},
      {"generate: length: got -3, expected a whole number from 0", generated({.length = -3})},
      {"generate: top_k: got -1, expected a whole number from 0", generated({.top_k = -1})},
      {"max_position: got -4, expected a whole number", generated({.positions = scheme})},
      {"generate: temperature: got -1", [&] { sample_token<float>(logits, {.temperature = -1.0}, random); }},
      {"cosine: final_fraction: got 2, expected",
       trained([](TrainerOptions& o) { o.schedule.final_fraction = 2.0; })},
      {"cosine: got a peak of -1, 20 steps", trained([](TrainerOptions& o) { o.schedule.peak = -1.0; })},
      {"cosine: got a peak of 0.01, 20 steps and -1",
       trained([](TrainerOptions& o) { o.schedule.warmup = -1; })},
      {"clip: got -1, expected at least 0", trained([](TrainerOptions& o) { o.clip = -1.0; })},
      {"clip: got nan, expected at least 0", trained([](TrainerOptions& o) { o.clip = nan; })},
      {"max_position: got -4, expected", trained([&](TrainerOptions& o) { o.positions = scheme; })},
      {"max_position: got -4, expected", [&] { Evaluator<float>(rig.model, rig.values, one, scheme); }},
  });
  expect_refused<std::invalid_argument>(
      {{"shards: got 3, expected a power of two", trained([](TrainerOptions& o) { o.shards = 3; })},
       {"shards: got 0, expected a power of two",
        [&] { BatchGradient<float>(rig.model, rig.values, 0, one); }}});
}

// A result is written block by block while the factors are read.
TEST(Contracts, AProductIntoOneOfItsFactorsIsRefused) {
  for (const Index n : {8, 32, 130}) {
    Tensor<float> a({n, n});
    Tensor<float> b({n, n});
    const View<float> x = a.view();
    const auto refused = [&](const Factor<float>& left, const Factor<float>& right, View<float> result) {
      expect_refused<std::invalid_argument>({{"multiply: the result shares memory with a factor",
                                              [&] { multiply<float>(left, right, result); }}});
    };
    refused(x, b.view(), x);
    refused(b.view(), x, x);
    refused(transposed(x), b.view(), x);
    refused(x.row_range(0, n / 2), b.view(), x.row_range(n / 2 - 1, n / 2));
    refused(x.col_range(0, n / 2), b.view().row_range(0, n / 2).col_range(0, n / 2),
            x.col_range(n / 2 - 1, n / 2));
    refused(x.col_range(n / 2 - 1, n / 2), b.view().row_range(0, n / 2).col_range(0, n / 2),
            x.col_range(0, n / 2));
    const View<float> every_second(a.data(), n / 2, n, 2 * n);
    refused(every_second, b.view(), x.row_range(0, n / 2));
    EXPECT_THROW(multiply_with_bias<float>(x, b.view(), b.data(), x), std::invalid_argument);
    EXPECT_THROW(multiply_by_openblas<float>(x, b.view(), x), std::invalid_argument);
    EXPECT_THROW(transpose<float>(x, x), std::invalid_argument);
    // Parts of one matrix that share no element, as the columns of two heads.
    const View<float> left = x.col_range(0, n / 2);
    const View<float> right = x.col_range(n / 2, n / 2);
    EXPECT_NO_THROW(multiply<float>(left, b.view().row_range(0, n / 2).col_range(0, n / 2), right));
    EXPECT_NO_THROW(multiply<float>(right, b.view().row_range(0, n / 2).col_range(0, n / 2), left));
    EXPECT_NO_THROW(multiply<float>(x.row_range(0, n / 2), b.view(), x.row_range(n / 2, n / 2)));
  }
}

TEST(Contracts, ALossNeedsATargetAndAResultForEachRow) {
  const Tensor<float> logits({3, 5});
  Tensor<float> gradient({3, 5});
  const std::vector<Token> targets = {1, 2};
  const std::vector<Token> enough = {1, 2, 3};
  std::vector<double> losses(3);
  std::vector<double> few(2);
  const std::string message = "cross_entropy: got 3 rows of logits, 2 targets and 3 results";
  expect_refused<std::invalid_argument>(
      {{message, [&] { cross_entropy(logits.view(), targets, losses); }},
       {"3 targets and 2 results", [&] { cross_entropy(logits.view(), enough, few); }},
       {message, [&] { cross_entropy_backward(logits.view(), targets, 1.0F, gradient.view()); }}});
}

// A step that throws in the middle: the table has 8 positions.
TEST(Contracts, AStepThatThrowsLeavesTheTrainingAsItWas) {
  ModelConfig config = small_config();
  config.encoding = "learned";
  config.train_length = 8;
  SmallTraining training(options_with(2), config);
  SmallTraining other(options_with(2), config);
  const Batch fits = random_batch(4, 8, 0);
  const Batch longer = random_batch(4, 9, 0);
  EXPECT_THROW(training.step(longer), PositionError);
  EXPECT_THROW(training.trainer.find_non_finite({&longer, 1}), PositionError);
  EXPECT_EQ(training.trainer.steps(), 0);
  for (int step = 0; step < 2; ++step) EXPECT_EQ(training.step(fits).loss, other.step(fits).loss);
  EXPECT_EQ(training.values(), other.values());
}

}  // namespace
}  // namespace ordinal::testing
