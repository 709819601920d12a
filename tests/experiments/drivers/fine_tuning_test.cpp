// Training that starts from a checkpoint.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/settings/parts.h"
#include "tests/experiments/drivers/experiment.h"

namespace ordinal::experiments::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const std::string few_steps =
    "--quiet --train.steps=3 --train.warmup=1 --train.batch=4 --evaluate.batches=1 --evaluate.lengths=1x ";

TEST(FineTuning, StartsFromTheParametersAndKnowsTheirTrainingLength) {
  train(steps + "--out first --model.encoding=rope");
  const std::string longer = steps +
                             "--model first/checkpoint.safetensors --model.encoding=rope@interpolated "
                             "--task.train_length=32 --evaluate.lengths=32 ";
  train(longer + "--train.steps=0 --train.warmup=0 --out copied");
  const SafetensorsFile first(own_folder() / "first/checkpoint.safetensors");
  const SafetensorsFile copied(own_folder() / "copied/checkpoint.safetensors");
  const std::string weight = "block.0.attention.qkv.weight";
  EXPECT_EQ(first.values<float>(weight), copied.values<float>(weight));
  EXPECT_EQ(copied.metadata().at("model.train_length"), "16");
  train(longer + "--out tuned");
  EXPECT_NE(SafetensorsFile(own_folder() / "tuned/checkpoint.safetensors").values<float>(weight),
            first.values<float>(weight));
}

TEST(FineTuning, TakesWhatIsNotGivenFromTheCheckpoint) {
  train(steps +
        "--out first --model.encoding='rope(base=auto)' "
        "--model.block='attention, feed_forward(activation=relu)' --task.name=copy");
  const std::string model = "--model first/checkpoint.safetensors ";
  train(few_steps + model + "--task.train_length=24 --model.encoding=rope@yarn --out second");
  const auto first = SafetensorsFile(own_folder() / "first/checkpoint.safetensors").metadata();
  const auto second = SafetensorsFile(own_folder() / "second/checkpoint.safetensors").metadata();
  for (const char* key : {"task.name", "model.d_model", "model.heads", "model.block", "model.train_length"}) {
    EXPECT_EQ(first.at(key), second.at(key)) << key;
  }
  EXPECT_THAT(second.at("model.block"), HasSubstr("activation=relu"));
  EXPECT_THAT(second.at("model.encoding"), StartsWith("rope(base=52.5"));  // that of 33 tokens
  EXPECT_EQ(second.at("task.train_length"), "24");
  const PlacedEncoding trained = placed_encoding(first.at("model.encoding"));
  const PlacedEncoding placed = placed_encoding(second.at("model.encoding"));
  EXPECT_EQ(placed.encoding, trained.encoding);
  EXPECT_THAT(placed.training, StartsWith("yarn("));
  EXPECT_EQ(placed.test, "") << "as in training";
}

// The settings of the first training, with all automatic values resolved, given again.
TEST(FineTuning, GoesOnFromTheResolvedConfigOfTheFirstTraining) {
  train(steps + "--out first --model.encoding='rope(base=auto)'");
  train(
      "--quiet --config first/resolved.cfg --model first/checkpoint.safetensors --task.train_length=32 "
      "--model.encoding='rope(rotary_fraction=1.0)' --out second");
  const auto first = SafetensorsFile(own_folder() / "first/checkpoint.safetensors").metadata();
  const auto second = SafetensorsFile(own_folder() / "second/checkpoint.safetensors").metadata();
  for (const char* key : {"model.vocab_size", "model.train_length", "model.encoding"}) {
    EXPECT_EQ(first.at(key), second.at(key)) << key;
  }
  EXPECT_THAT(second.at("model.encoding"), Not(HasSubstr("auto")));
}

TEST(FineTuning, OfATableThatEndsNamesTheFix) {
  train(steps + "--out first --model.encoding=learned");
  const std::string longer =
      few_steps + "--model first/checkpoint.safetensors --task.train_length=24 --out second ";
  EXPECT_THAT(
      error_of("train", longer),
      HasSubstr("learned: max_seq_len = 16 is less than the 24 positions of training: there is no row for "
                "the others (a new model can have more; finetune.encoding = learned gives a trained one "
                "more; else set overflow to clamp or interpolate)"));
  EXPECT_FALSE(exists("second"));
  train(longer + "--model.encoding='learned(overflow=interpolate)'");
}

}  // namespace
}  // namespace ordinal::experiments::testing
