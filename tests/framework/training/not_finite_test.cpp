// Steps that produce numbers which are infinite or NaN: they are not taken, and the place is found.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "framework/training/trainer.h"
#include "tests/framework/training/small_model.h"

namespace ordinal::testing {
namespace {

using ::testing::HasSubstr;

constexpr float infinity = std::numeric_limits<float>::infinity();

// Token 10 occurs once, in example 4 at token 5.
Batch batch_with_token_10() {
  Batch batch = random_batch(6, 9, 0);
  std::ranges::replace(batch.tokens, Token{10}, Token{9});
  batch.tokens[4 * 9 + 5] = 10;
  return batch;
}

TEST(NotFinite, NamesTheLayerAndTheTokenForAnyNumberOfShards) {
  ModelConfig config = small_config();
  config.tied_output = false;
  const Transformer<float> model(config);
  for (const Index shards : {1, 2, 4}) {
    Threads threads(2);
    Trainer<float> trainer(model, options_with(shards), threads);
    trainer.values()["token_embedding.weight"](10, 3) = 3e38F;  // √d_model times it is too large for a float
    const Batch batch = batch_with_token_10();
    EXPECT_FALSE(trainer.step({&batch, 1}).taken);
    EXPECT_EQ(trainer.find_non_finite({&batch, 1}),
              "token_embedding, forward: infinity for example 4, token 5");
  }
}

// The sixth of seven sequences is in the second part of the shard.
TEST(NotFinite, NamesTheExampleOfALaterPart) {
  ModelConfig config = small_config();
  config.tied_output = false;
  const Transformer<float> model(config);
  Threads threads(1);
  Trainer<float> trainer(model, options_with(1), threads);
  Batch batch = random_batch(7, 60, 0);
  std::ranges::replace(batch.tokens, Token{10}, Token{9});
  batch.tokens[5 * 60 + 17] = 10;
  trainer.values()["token_embedding.weight"](10, 3) = 3e38F;
  EXPECT_EQ(trainer.find_non_finite({&batch, 1}),
            "token_embedding, forward: infinity for example 5, token 17");
}

TEST(NotFinite, NamesABlockAndTheGradientOfAParameter) {
  const Transformer<float> model(small_config());
  Threads threads(1);
  Trainer<float> trainer(model, options_with(1), threads);
  const Batch batch = random_batch(6, 9, 0);
  trainer.values()["block.1.feed_forward.down.weight"](0, 0) = 3e38F;
  std::ranges::fill_n(trainer.values()["block.1.feed_forward.up.bias"].data, 4, 3e38F);
  EXPECT_FALSE(trainer.step({&batch, 1}).taken);
  EXPECT_THAT(trainer.find_non_finite({&batch, 1}), HasSubstr("block.1.feed_forward, forward: "));
}

TEST(NotFinite, NamesAParameterThatWasSoBefore) {
  const Transformer<float> model(small_config());
  Threads threads(1);
  Trainer<float> trainer(model, options_with(1), threads);
  const Batch batch = random_batch(6, 9, 0);
  trainer.values()["final_norm.bias"].data[2] = infinity;
  EXPECT_FALSE(trainer.step({&batch, 1}).taken);
  EXPECT_EQ(trainer.find_non_finite({&batch, 1}), "final_norm.bias: it is not finite before this step");
}

TEST(NotFinite, AStepThatIsNotTakenChangesNothing) {
  const Transformer<float> model(small_config());
  Threads threads(1);
  Trainer<float> trainer(model, options_with(2), threads);
  const Batch good = random_batch(6, 9, 0);
  ASSERT_TRUE(trainer.step({&good, 1}).taken);
  trainer.values()["token_embedding.weight"](10, 3) = 3e38F;
  const std::vector<float> before(trainer.values().flat().begin(), trainer.values().flat().end());
  const auto moments = [&] {
    std::vector<float> all;
    for (const auto& state : trainer.optimizer().state())
      all.insert(all.end(), state.block->flat().begin(), state.block->flat().end());
    return all;
  };
  const std::vector<float> moments_before = moments();
  const Batch bad = batch_with_token_10();
  EXPECT_FALSE(trainer.step({&bad, 1}).taken);
  EXPECT_EQ(trainer.steps(), 1);
  EXPECT_TRUE(std::ranges::equal(trainer.values().flat(), before));
  EXPECT_EQ(moments(), moments_before);
}

TEST(NotFinite, AnOptimizerStepThatOverflowsSaysSo) {
  const Transformer<float> model(small_config());
  Threads threads(1);
  TrainerOptions options = options_with(1);
  options.optimizer = "sgd";
  options.clip = 0.0;
  options.schedule = {.name = "constant", .peak = 1e300, .steps = 20, .warmup = 0};
  Trainer<float> trainer(model, options, threads);
  const Batch batch = random_batch(6, 9, 0);
  const StepResult result = trainer.step({&batch, 1});
  EXPECT_TRUE(result.taken);
  EXPECT_FALSE(result.finite);
  EXPECT_FALSE(first_not_finite(trainer.values()).empty());
}

}  // namespace
}  // namespace ordinal::testing
