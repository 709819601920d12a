// Steps that produce numbers which are infinite or NaN: they are not taken, and the place is found.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "framework/training/trainer.h"
#include "tests/framework/training/small_model.h"

namespace ordinal::testing {
namespace {

using ::testing::HasSubstr;

constexpr float infinity = std::numeric_limits<float>::infinity();

// Token 10 occurs once.
Batch batch_with_token_10(Index size, Index seq_len, std::size_t place) {
  Batch batch = random_batch(size, seq_len, 0);
  std::ranges::replace(batch.tokens, Token{10}, Token{9});
  batch.tokens[place] = 10;
  return batch;
}

ModelConfig untied() {
  ModelConfig config = small_config();
  config.tied_output = false;
  return config;
}

// In a shard of 7 sequences of 60 tokens, the sixth is in the second part.
TEST(NotFinite, NamesTheLayerAndTheTokenForAnyNumberOfShardsAndTheirParts) {
  for (const auto& [batch, place] : {std::pair{batch_with_token_10(6, 9, 4 * 9 + 5), "example 4, token 5"},
                                     {batch_with_token_10(7, 60, 5 * 60 + 17), "example 5, token 17"}}) {
    for (const Index shards : {1, 2, 4}) {
      SmallTraining training(options_with(shards), untied(), 2);
      training.trainer.values()["token_embedding.weight"](10, 3) = 3e38F;  // √d_model times it is no float
      EXPECT_FALSE(training.step(batch).taken);
      EXPECT_EQ(training.trainer.find_non_finite({&batch, 1}),
                std::string("token_embedding, forward: infinity for ") + place);
      training.trainer.values()["token_embedding.weight"](10, 3) = 0.0F;
      EXPECT_EQ(training.trainer.find_non_finite({&batch, 1}), "the sum of the gradients") << "nothing stays";
    }
  }
}

TEST(NotFinite, NamesABlockAndTheGradientOfAParameter) {
  SmallTraining training;
  const Batch batch = random_batch(6, 9, 0);
  training.trainer.values()["block.1.feed_forward.down.weight"](0, 0) = 3e38F;
  std::ranges::fill_n(training.trainer.values()["block.1.feed_forward.up.bias"].data, 4, 3e38F);
  EXPECT_FALSE(training.step(batch).taken);
  EXPECT_THAT(training.trainer.find_non_finite({&batch, 1}), HasSubstr("block.1.feed_forward, forward: "));
}

TEST(NotFinite, NamesAParameterThatWasSoBefore) {
  SmallTraining training;
  const Batch batch = random_batch(6, 9, 0);
  training.trainer.values()["final_norm.bias"].data[2] = infinity;
  EXPECT_FALSE(training.step(batch).taken);
  EXPECT_EQ(training.trainer.find_non_finite({&batch, 1}),
            "final_norm.bias: it is not finite before this step");
}

TEST(NotFinite, AStepThatIsNotTakenChangesNothing) {
  SmallTraining training(options_with(2));
  ASSERT_TRUE(training.step(random_batch(6, 9, 0)).taken);
  training.trainer.values()["token_embedding.weight"](10, 3) = 3e38F;
  const std::vector<float> before = training.values();
  const auto moments = [&] {
    std::vector<float> all;
    for (const auto& state : training.trainer.optimizer().state())
      all.insert(all.end(), state.block->flat().begin(), state.block->flat().end());
    return all;
  };
  const std::vector<float> moments_before = moments();
  EXPECT_FALSE(training.step(batch_with_token_10(6, 9, 4 * 9 + 5)).taken);
  EXPECT_EQ(training.trainer.steps(), 1);
  EXPECT_EQ(training.values(), before);
  EXPECT_EQ(moments(), moments_before);
}

// Logits are 0, so the loss is that of a model that knows nothing; the gradient of their weights is that large.
TEST(NotFinite, AGradientWhoseSquareOverflowsIsTakenOnlyIfItIsClipped) {
  for (const double clip : {0.0, 1.0}) {
    TrainerOptions options = options_with(1);
    options.clip = clip;
    SmallTraining training(options, untied(), 2);
    auto& values = training.trainer.values();
    std::ranges::fill_n(values["final_norm.weight"].data, values["final_norm.weight"].size(), 1e25F);
    std::ranges::fill_n(values["output.weight"].data, values["output.weight"].size(), 0.0F);
    EXPECT_EQ(training.step(random_batch(6, 9, 0)).taken, clip > 0.0);
  }
}

TEST(NotFinite, AnOptimizerStepThatOverflowsSaysSo) {
  TrainerOptions options = options_with(1);
  options.optimizer = "sgd";
  options.clip = 0.0;
  options.schedule = {.name = "constant", .peak = 1e300, .steps = 20, .warmup = 0};
  SmallTraining training(options);
  const StepResult result = training.step(random_batch(6, 9, 0));
  EXPECT_TRUE(result.taken);
  EXPECT_FALSE(result.finite);
  EXPECT_FALSE(first_not_finite(training.trainer.values()).empty());
}

}  // namespace
}  // namespace ordinal::testing
