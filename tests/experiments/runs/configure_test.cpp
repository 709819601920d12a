// From settings to structs: sizes that come from the task, and settings that come out of a file.
#include "experiments/runs/configure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "experiments/runs/checkpoint_settings.h"
#include "experiments/runs/progress.h"
#include "framework/core/errors.h"

namespace ordinal {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::filesystem::path written(const std::string& name, const Metadata& metadata, Index rows = 0) {
  SafetensorsWriter writer;
  for (const auto& [key, value] : metadata) writer.set_metadata(key, value);
  const std::vector<float> values(static_cast<std::size_t>(rows * 4));
  if (rows > 0) writer.add("token_embedding.weight", {rows, 4}, values);
  if (rows > 0) writer.add("positional.learned.table", {rows, 4}, values);
  const auto path = std::filesystem::path(::testing::TempDir()) / ("configure_test_" + name);
  writer.write(path);
  return path;
}

TEST(ModelConfig, TakesItsVocabularyFromTheTask) {
  Settings settings;
  const auto task = make_task(task_config(settings));
  EXPECT_EQ(model_config(settings, *task, "none").vocab_size, task->alphabet().size());
  settings.set("model.vocab_size", "64", "test");
  EXPECT_EQ(model_config(settings, *task, "none").vocab_size, 64);
  settings.set("model.vocab_size", "20", "test");
  EXPECT_THAT([&] { model_config(settings, *task, "none"); },
              ThrowsMessage<ConfigError>(HasSubstr("model.vocab_size = 20, but the task has 39")));
}

// A copy of n letters is a sequence of 2n + 1 tokens: that is what a table must hold.
TEST(ModelConfig, SizesTablesForTheTokensOfATrainingExample) {
  Settings settings;
  settings.set("task.name", "copy", "test");
  settings.set("task.train_length", "10", "test");
  const auto task = make_task(task_config(settings));
  EXPECT_EQ(model_config(settings, *task, "learned").encoding.max_seq_len, 21);
  settings.set("positional.overflow", "untrained", "test");
  EXPECT_EQ(model_config(settings, *task, "learned").encoding.max_seq_len, 161);  // 8x of evaluate.lengths
  settings.set("positional.max_seq_len", "33", "test");
  EXPECT_EQ(model_config(settings, *task, "learned").encoding.max_seq_len, 33);
}

TEST(TrainerOptions, WarmUpNoLongerThanTheRun) {
  Settings settings;
  settings.set("train.steps", "50", "test");
  EXPECT_EQ(trainer_options(settings, 64, 1).schedule.warmup, 50);
  settings.set("train.shards", "4", "test");
  EXPECT_EQ(trainer_options(settings, 64, 7).shards, 4);
  EXPECT_EQ(trainer_options(settings, 64, 7).seed, 7U);
}

TEST(TrainingMetadata, HoldsWhatTheWeightsDependOnAndNothingElse) {
  Settings settings;
  const auto task = make_task(task_config(settings));
  const auto metadata = [&] {
    return training_metadata(settings, *task, model_config(settings, *task, "none"), "none", 3);
  };
  const Metadata before = metadata();
  EXPECT_EQ(before.at("positional.encoding"), "none");
  EXPECT_EQ(before.at("train.seed"), "3");
  EXPECT_EQ(before.at("data_hash"), task->data_hash());
  for (const auto& [key, value] :
       {std::pair{"evaluate.batches", "3"}, std::pair{"train.log_every", "7"},
        std::pair{"train.checkpoint_every", "7"}, std::pair{"experiment.seeds", "9"},
        std::pair{"positional.encodings", "none"}, std::pair{"experiment.name", "x"}}) {
    settings.set(key, value, "test");
    EXPECT_EQ(metadata(), before) << key;
  }
  for (const auto& [key, value] : {std::pair{"train.beta2", "0.5"}, std::pair{"model.bias", "false"},
                                   std::pair{"positional.dropout", "0.5"}, std::pair{"train.batch", "8"}}) {
    settings.set(key, value, "test");
    EXPECT_NE(metadata(), before) << key;
  }
}

TEST(SettingsOfAFile, FillSizesFromItsTensors) {
  const auto path = written("tensors.safetensors", {{"model.d_model", "4"}, {"model.heads", "2"}}, 6);
  const Settings settings = settings_of(SafetensorsFile(path), "f");
  EXPECT_EQ(settings.integer("model.vocab_size"), 6);
  EXPECT_EQ(settings.integer("positional.max_seq_len"), 6);
  EXPECT_EQ(model_config(settings).d_model, 4);
}

TEST(SettingsOfAFile, WithoutASizeOrWithAWrongValueAreRefused) {
  const auto refused = [](const std::string& name, const Metadata& metadata) {
    return [=] { settings_of(SafetensorsFile(written(name, metadata)), "f"); };
  };
  EXPECT_THAT(refused("none.safetensors", {}),
              ThrowsMessage<CheckpointError>(HasSubstr("f: no model.vocab_size in its metadata")));
  EXPECT_THAT(refused("wrong.safetensors", {{"model.heads", "-2"}}),
              ThrowsMessage<CheckpointError>(HasSubstr("f: model.heads: got -2")));
}

TEST(DurationText, IsShortAtEveryScale) {
  EXPECT_EQ(duration_text(0.4), "0 s");
  EXPECT_EQ(duration_text(59.4), "59 s");
  EXPECT_EQ(duration_text(59.6), "1 min 00 s");
  EXPECT_EQ(duration_text(200), "3 min 20 s");
  EXPECT_EQ(duration_text(7500), "2 h 05 min");
}

}  // namespace
}  // namespace ordinal
