// What training and scoring are forecast to hold, compared with what they hold.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "experiments/training/summary.h"
#include "framework/training/evaluation.h"
#include "tests/framework/layers/branch_setting.h"
#include "tests/framework/training/small_model.h"

namespace ordinal::experiments {
namespace {

using namespace ordinal::testing;

constexpr double close = 1.3;

void expect_close(double forecast, double held, const std::string& what) {
  EXPECT_LT(forecast / held, close) << what;
  EXPECT_GT(forecast / held, 1.0 / close) << what;
}

struct Held {
  std::string block = "attention, feed_forward";
  std::string encoding = "none";
  Index d_model = 16;
  Index batch = 8;
  Index seq_len = 128;
  std::string optimizer = "adamw";
  double dropout = 0.0;
  std::string placement = "pre";
  Index vocab_size = 11;

  ModelConfig config() const {
    ModelConfig config = small_config(dropout);
    config.d_model = d_model;
    config.block = block;
    config.encoding = encoding;
    config.norm_placement = placement;
    config.vocab_size = vocab_size;
    return config;
  }
  std::string text() const {
    return fmt::format("{}, {}, d_model {}, {} x {}, {}, {}", block, encoding, d_model, batch, seq_len,
                       optimizer, placement);
  }

  void expect_close_in_training() const {
    const Transformer<float> model(config());
    TrainerOptions options = options_with(default_shards(batch, seq_len));
    options.optimizer = optimizer;
    Threads one(1);
    Trainer<float> trainer(model, options, one);
    const Batch examples = random_batch(batch, seq_len, 0);
    trainer.step({&examples, 1});
    expect_close(training_memory(model, options, batch, seq_len).bytes(1),
                 static_cast<double>(trainer.memory_bytes()), text());
  }

  void expect_close_in_scoring() const {
    const Transformer<float> model(config());
    Parameters<float> values(model.layout());
    initialize(values, 1);
    Threads one(1);
    Evaluator<float> evaluator(model, values, one);
    evaluator.score(random_batch(1, seq_len, 0));
    expect_close(scoring_memory_bytes(model, seq_len, sizeof(float)),
                 static_cast<double>(evaluator.memory_bytes()), text());
  }
};

std::vector<std::string> blocks() {
  std::vector<std::string> all = branches_with_options();
  all.insert(all.end(), {"attention, feed_forward",
                         "attention(softcap=5, qk_norm=rmsnorm), feed_forward(activation=swiglu)",
                         "attention(weights=stick_breaking, window=20), gated_linear"});
  std::erase_if(all, [](const std::string& block) {
    return std::ranges::any_of(block_parts(block),
                               [](const Part& part) { return !is_defined({to_string(part)}); });
  });
  return all;
}

std::vector<std::string> encodings_in_effect() {
  std::vector<std::string> names = encodings().names();
  std::ranges::replace(names, "learned", "learned(max_seq_len=512)");
  std::ranges::replace(names, "tupe", "tupe(embedding=sinusoidal)");
  return names;
}

TEST(Memory, OfTrainingIsForecastForEveryBlock) {
  for (const std::string& block : blocks()) {
    for (const Index length : {16, 100, 300}) {
      Held{.block = block, .seq_len = length}.expect_close_in_training();
      Held{.block = block, .seq_len = length, .dropout = 0.1}.expect_close_in_training();
      Held{.block = block, .d_model = 64, .seq_len = length, .placement = "post"}.expect_close_in_training();
    }
  }
}

TEST(Memory, OfTrainingIsForecastForEveryEncoding) {
  for (const std::string& encoding : encodings_in_effect()) {
    for (const Index length : {16, 300})
      Held{.encoding = encoding, .seq_len = length}.expect_close_in_training();
  }
}

// Where the parameters, many short sequences or several shards of long ones need most.
TEST(Memory, OfTrainingIsForecastForEverySize) {
  Held{.d_model = 256, .batch = 1, .seq_len = 8}.expect_close_in_training();
  Held{.d_model = 256, .batch = 1, .seq_len = 8, .optimizer = "sgd"}.expect_close_in_training();
  Held{.d_model = 64, .batch = 64, .seq_len = 64}.expect_close_in_training();
  Held{.d_model = 64, .batch = 8, .seq_len = 2048}.expect_close_in_training();
  Held{.d_model = 64, .batch = 2, .seq_len = 4096}.expect_close_in_training();
}

TEST(Memory, OfTrainingGrowsWithTheShardsThatAreComputedAtATime) {
  const Transformer<float> model(small_config());
  const TrainingMemory memory = training_memory(model, options_with(4), 8, 64);
  EXPECT_EQ(memory.bytes(3), memory.parameters + 3.0 * memory.run);
  EXPECT_EQ(memory.bytes(8), memory.parameters + 4.0 * memory.run) << "no thread without a shard";
  EXPECT_EQ(memory.bytes(8, 3), 3.0 * memory.parameters + 8.0 * memory.run);
}

// Rounded up: of three sequences, one of two shards has two.
TEST(Memory, OfTrainingIsThatOfTheLargestShardAndOfAGradientForEach) {
  const Transformer<float> model(small_config());
  const auto memory = [&](Index shards, Index batch) {
    return training_memory(model, options_with(shards), batch, 64);
  };
  EXPECT_EQ(memory(2, 3).run, memory(1, 2).run);
  EXPECT_LT(memory(2, 2).run, memory(1, 2).run);
  EXPECT_EQ(memory(4, 4).parameters - memory(1, 4).parameters,
            3.0 * static_cast<double>(model.layout().flat_size()) * sizeof(float));
}

// What each block adds, to the nearest hundredth: a whole model hides what is missing.
TEST(Memory, OfTrainingGrowsWithEachBlockAsForecast) {
  const Index length = 128;
  for (const std::string& block : blocks()) {
    const auto forecast_and_held = [&](Index layers) {
      ModelConfig config = Held{.block = block, .d_model = 64}.config();
      config.layers = layers;
      const ModelRig<float> rig(config);
      Parameters<float> gradients(rig.model.layout());
      const std::vector<Token> tokens = random_tokens(length, config.vocab_size);
      Pass<float> pass(rig.values, &gradients);
      for (int run = 0; run < 2; ++run) {
        pass.begin({.positions = Positions::contiguous(1, length), .record = true});
        const View<const float> logits = rig.model.logits(rig.model.hidden(tokens, pass), pass);
        rig.model.backward(tokens, logits, pass);
        pass.finish();
      }
      return std::pair(recorded_memory_bytes(rig.model, 1, length, sizeof(float)),
                       static_cast<double>(pass.memory_bytes()));
    };
    const auto [forecast, held] = forecast_and_held(2);
    const auto [more_forecast, more_held] = forecast_and_held(6);
    EXPECT_NEAR((more_forecast - forecast) / (more_held - held), 1.0, 0.01) << block;
  }
}

TEST(Memory, OfScoringIsForecast) {
  for (const std::string& block : blocks()) {
    for (const Index length : {128, 1024}) Held{.block = block, .seq_len = length}.expect_close_in_scoring();
  }
  for (const std::string& encoding : encodings_in_effect())
    Held{.encoding = encoding, .d_model = 64, .seq_len = 512}.expect_close_in_scoring();
  Held{.block = "feed_forward(ff=1024)", .d_model = 64, .seq_len = 2048}.expect_close_in_scoring();
  Held{.seq_len = 2048, .vocab_size = 500}.expect_close_in_scoring();
}

// tokens · (6·layers·12·d² + 6·V·d + 12·layers·L·d) for a training step of the usual shape.
TEST(Summary, CountsTheFlopsOfTheFormula) {
  ModelConfig config;
  config.vocab_size = 64;
  config.d_model = 128;
  config.layers = 4;
  const double expected = 6.0 * 4 * 12 * 128 * 128 + 6.0 * 64 * 128 + 12.0 * 4 * 100 * 128;
  EXPECT_DOUBLE_EQ(training_flops_per_token(Transformer<float>(config), 100), expected);
}

TEST(Summary, NamesEveryParameterAndTheTotal) {
  const Transformer<float> model(small_config());
  const std::string table = summary(model, 16);
  for (const ParameterSpec& spec : model.layout().specs())
    EXPECT_THAT(table, ::testing::HasSubstr(spec.name));
  EXPECT_THAT(table, ::testing::HasSubstr(std::to_string(model.layout().count())));
}

TEST(Summary, RefusesANumberOfShardsThatIsNoPowerOfTwo) {
  EXPECT_THAT([] { training_memory(Transformer<float>(small_config()), options_with(0), 4, 16); },
              ::testing::ThrowsMessage<std::invalid_argument>(
                  ::testing::HasSubstr("shards: got 0, expected a power of two")));
}

}  // namespace
}  // namespace ordinal::experiments
