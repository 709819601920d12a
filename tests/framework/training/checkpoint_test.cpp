#include "framework/training/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <stdexcept>

#include "framework/core/errors.h"
#include "tests/framework/training/small_model.h"
#include "tests/message_of.h"

namespace ordinal::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::filesystem::path path_of(const std::string& name) {
  return std::filesystem::path(::testing::TempDir()) / ("checkpoint_test_" + name + ".safetensors");
}

TrainerOptions options(const std::string& optimizer) {
  TrainerOptions result;
  result.optimizer = optimizer;
  result.shards = 2;
  return result;
}

struct Training : SmallTraining {
  explicit Training(const std::string& optimizer, const ModelConfig& config = small_config())
      : SmallTraining(options(optimizer), config, 2) {}

  void train(int steps) {
    for (int i = 0; i < steps; ++i) step(random_batch(4, 9, static_cast<std::uint32_t>(trainer.steps())));
  }
  void save(const std::string& name) { save_checkpoint(path_of(name), trainer, {{"model.d_model", "16"}}); }
  void load(const std::string& name) {
    load_checkpoint(SafetensorsFile(path_of(name)), path_of(name), trainer);
  }
};

class Checkpoint : public ::testing::TestWithParam<std::string> {};

TEST_P(Checkpoint, TrainingOnAfterALoadEqualsTrainingInOneGo) {
  Training whole(GetParam(), small_config(0.1));
  whole.train(8);
  Training first(GetParam(), small_config(0.1));
  first.train(4);
  first.save(GetParam());
  Training second(GetParam(), small_config(0.1));
  second.load(GetParam());
  EXPECT_EQ(second.trainer.steps(), 4);
  EXPECT_EQ(SafetensorsFile(path_of(GetParam())).metadata().at("model.d_model"), "16");
  second.train(4);
  EXPECT_TRUE(whole.values() == second.values()) << "something that step() changes is not in state()";
}

INSTANTIATE_TEST_SUITE_P(Registry, Checkpoint, ::testing::ValuesIn(optimizers().names()),
                         [](const auto& info) { return info.param; });

TEST(CheckpointFile, IsNotWrittenIfItsCheckThrows) {
  Training training("adamw");
  const auto path = path_of("forbidden");
  const auto forbid = [] { throw std::domain_error("forbidden"); };
  EXPECT_THROW(save_checkpoint(path, training.trainer, {}, forbid), std::domain_error);
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(CheckpointFile, ThatDoesNotFitIsRefusedAndChangesNothing) {
  Training narrow("adamw");
  narrow.train(1);
  narrow.save("narrow");
  SafetensorsWriter weights;
  add_parameters<float>(weights, narrow.trainer.values());
  weights.write(path_of("weights"));
  Training momentum("sgd");
  momentum.train(2);
  momentum.save("momentum");
  Training spoiled("adamw");
  spoiled.train(1);
  spoiled.trainer.optimizer().state().back().block->flat().back() = std::numeric_limits<float>::quiet_NaN();
  spoiled.save("spoiled");
  ModelConfig wider = small_config();
  wider.d_model = 32;
  struct Refused {
    std::string file;
    ModelConfig config;
    std::string why;
  };
  for (const auto& [file, config, why] :
       {Refused{"narrow", wider, "shape (11, 16), expected shape (11, 32)"},
        {"weights", small_config(), "no step in its metadata"},
        {"momentum", small_config(), "tensor optimizer.m.token_embedding.weight is missing"},
        {"spoiled", small_config(), "holds infinite numbers or NaN"}}) {
    Training training("adamw", config);
    const std::vector<float> before = training.values();
    const auto load = [&, name = file] { training.load(name); };
    EXPECT_THAT(message_of<CheckpointError>(load),
                AllOf(HasSubstr(path_of(file).string() + ": "), HasSubstr(why)));
    EXPECT_EQ(before, training.values()) << file;
    EXPECT_EQ(training.trainer.steps(), 0) << file;
  }
}

TEST(CheckpointFile, LoadsIntoDoubleToo) {
  Training training("adamw");
  training.save("double");
  const Transformer<double> exact(small_config());
  Parameters<double> values(exact.layout());
  load_parameters(SafetensorsFile(path_of("double")), values);
  EXPECT_TRUE(std::ranges::equal(values.flat(), training.values()));
}

}  // namespace
}  // namespace ordinal::testing
