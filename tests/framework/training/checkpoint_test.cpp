#include "framework/training/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "framework/core/errors.h"
#include "tests/framework/training/small_model.h"

namespace ordinal::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::filesystem::path path_of(const std::string& name) {
  return std::filesystem::path(::testing::TempDir()) / ("checkpoint_test_" + name + ".safetensors");
}

TrainerOptions options(const std::string& optimizer) {
  TrainerOptions result;
  result.optimizer = optimizer;
  result.shards = 2;
  return result;
}

void train(Trainer<float>& trainer, int steps) {
  for (int i = 0; i < steps; ++i) {
    const Batch batch = random_batch(4, 9, static_cast<std::uint32_t>(trainer.steps()));
    trainer.step({&batch, 1});
  }
}

class Checkpoint : public ::testing::TestWithParam<std::string> {};

TEST_P(Checkpoint, TrainingOnAfterALoadEqualsTrainingInOneGo) {
  const Transformer<float> model(small_config(0.1));
  Threads threads(2);
  Trainer<float> whole(model, options(GetParam()), threads);
  train(whole, 8);

  Trainer<float> first(model, options(GetParam()), threads);
  train(first, 4);
  save_checkpoint(path_of(GetParam()), first, {{"model.d_model", "16"}});
  Trainer<float> second(model, options(GetParam()), threads);
  const SafetensorsFile file(path_of(GetParam()));
  load_checkpoint(file, path_of(GetParam()), second);
  EXPECT_EQ(second.steps(), 4);
  EXPECT_EQ(file.metadata().at("model.d_model"), "16");
  train(second, 4);
  EXPECT_TRUE(std::ranges::equal(whole.values().flat(), second.values().flat()));
}

INSTANTIATE_TEST_SUITE_P(EveryOptimizer, Checkpoint, ::testing::Values("adamw", "sgd"));

TEST(CheckpointFile, OfAnotherModelIsRefusedAndChangesNothing) {
  const Transformer<float> model(small_config());
  Threads threads(1);
  Trainer<float> trainer(model, options("adamw"), threads);
  train(trainer, 1);
  save_checkpoint(path_of("other"), trainer, {});

  ModelConfig wider = small_config();
  wider.d_model = 32;
  const Transformer<float> other_model(wider);
  Trainer<float> other(other_model, options("adamw"), threads);
  const std::vector<float> before(other.values().flat().begin(), other.values().flat().end());
  const SafetensorsFile file(path_of("other"));
  EXPECT_THAT([&] { load_checkpoint(file, path_of("other"), other); },
              ThrowsMessage<CheckpointError>(HasSubstr("shape (11, 16), expected (11, 32)")));
  EXPECT_TRUE(std::ranges::equal(before, other.values().flat()));
  EXPECT_EQ(other.steps(), 0);
}

TEST(CheckpointFile, WithoutAStepIsRefused) {
  const Transformer<float> model(small_config());
  Threads threads(1);
  Trainer<float> trainer(model, options("adamw"), threads);
  SafetensorsWriter writer;
  add_parameters<float>(writer, trainer.values());
  writer.write(path_of("weights"));
  const SafetensorsFile file(path_of("weights"));
  EXPECT_THAT([&] { load_checkpoint(file, path_of("weights"), trainer); },
              ThrowsMessage<CheckpointError>(HasSubstr("no step in its metadata")));
}

TEST(CheckpointFile, WithoutOptimizerStateIsRefusedAndChangesNothing) {
  const Transformer<float> model(small_config());
  Threads threads(1);
  Trainer<float> momentum(model, options("sgd"), threads);
  train(momentum, 2);
  save_checkpoint(path_of("sgd_state"), momentum, {});
  Trainer<float> adaptive(model, options("adamw"), threads);
  const std::vector<float> before(adaptive.values().flat().begin(), adaptive.values().flat().end());
  const SafetensorsFile file(path_of("sgd_state"));
  EXPECT_THAT([&] { load_checkpoint(file, path_of("sgd_state"), adaptive); },
              ThrowsMessage<CheckpointError>(HasSubstr("no tensor optimizer.m.")));
  EXPECT_TRUE(std::ranges::equal(before, adaptive.values().flat()));
}

TEST(CheckpointFile, LoadsIntoDoubleToo) {
  const Transformer<float> model(small_config());
  Threads threads(1);
  Trainer<float> trainer(model, options("adamw"), threads);
  save_checkpoint(path_of("double"), trainer, {});
  const Transformer<double> exact(small_config());
  Parameters<double> values(exact.layout());
  load_parameters(SafetensorsFile(path_of("double")), values);
  EXPECT_TRUE(std::ranges::equal(values.flat(), trainer.values().flat()));
}

}  // namespace
}  // namespace ordinal::testing
