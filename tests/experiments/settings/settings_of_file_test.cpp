// The settings of a file of weights, also of one made elsewhere.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "experiments/settings/checkpoint_settings.h"
#include "experiments/settings/command_line.h"
#include "experiments/settings/parts.h"
#include "experiments/settings/plan.h"
#include "framework/core/errors.h"
#include "framework/training/checkpoint.h"
#include "tests/experiments/settings/weights_file.h"
#include "tests/experiments/with.h"
#include "tests/framework/storage/scratch_folder.h"
#include "tests/message_of.h"

namespace ordinal::experiments {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Messages name the file as the settings do, also those about its tensors.
Settings settings_of_file(const std::string& path) { return settings_of(SafetensorsFile(path), path); }

// What a file of weights made elsewhere must say, with the least that it may leave to defaults.
const Metadata by_hand = {{"model.vocab_size", "9"},
                          {"model.d_model", "4"},
                          {"model.layers", "1"},
                          {"model.heads", "2"},
                          {"model.n_kv_heads", "0"},
                          {"model.block", "attention, feed_forward(activation=relu)"},
                          {"model.norm", "rmsnorm"},
                          {"model.norm_placement", "pre"},
                          {"model.causal", "true"},
                          {"model.bias", "true"},
                          {"model.tied_output", "true"},
                          {"model.scale_embedding", "false"},
                          {"model.encoding", "rope(base=500)@contiguous:yarn"},
                          {"model.train_length", "16"}};

class SettingsOfAFile : public ::testing::Test {
 protected:
  // A file with the tensors of `by_hand` and that metadata, in which these keys have other values, or none if empty.
  static std::string file(const std::map<std::string, std::string>& changes) {
    Metadata metadata = by_hand;
    for (const auto& [key, value] : changes) {
      metadata[key] = value;
      if (value.empty()) metadata.erase(key);
    }
    return written("by_hand.safetensors", metadata, Plan(read_values(by_hand, "f")).model);
  }

  static std::string refusal(const std::map<std::string, std::string>& changes) {
    const std::string path = file(changes);
    return std::regex_replace(message_of<CheckpointError>([&] { settings_of_file(path); }), std::regex(path),
                              "f");
  }
};

TEST_F(SettingsOfAFile, AreThoseOfItsMetadata) {
  const Settings settings = settings_of_file(file({}));
  for (const auto& [key, value] : by_hand) EXPECT_EQ(settings.text(key), value) << key;
}

// Every setting of the model that binds its weights, and the training length, and those alone: tensors confirm sizes at most.
TEST_F(SettingsOfAFile, AreRefusedIfOneIsMissing) {
  const auto lacks = [](const std::string& keys) {
    return "f: its metadata lacks " + keys +
           ", which no tensor says (copy the metadata of the original file, or write all settings of "
           "the model: see "
           "framework/README.md)";
  };
  for (const auto& [key, value] : by_hand) EXPECT_EQ(refusal({{key, ""}}), lacks(key));
  EXPECT_EQ(refusal({{"model.heads", ""}, {"model.encoding", ""}}), lacks("model.heads, model.encoding"));
  for (const auto& [key, automatic] : std::vector<std::pair<std::string, std::string>>{
           {"model.vocab_size", "0"}, {"model.causal", "auto"}, {"model.train_length", "0"}})
    EXPECT_EQ(refusal({{key, automatic}}), lacks(key)) << "which would follow from a task";
  for (const Key& key : all_keys()) {
    const bool binds = key.option.binds == Binds::weights || key.name == "model.train_length";
    EXPECT_EQ(by_hand.contains(key.name), key.section() == "model" && binds) << key.name;
  }
}

TEST_F(SettingsOfAFile, WithANameOrAValueThatIsNoneAreRefused) {
  EXPECT_THAT(split_outside_brackets(
                  refusal({{"positional.base", "500"}, {"model.modle\x1b", "x"}, {"model.head", "2"}}), '\n'),
              ElementsAre("f: unknown key model.head (did you mean model.heads?)",
                          StartsWith("f: unknown key model.modle\\x1b, expected one of d_model, "),
                          StartsWith("f: unknown key positional.base: it is an option of sinusoidal, ")));
  EXPECT_EQ(
      refusal(
          {{"step", "7"}, {"data_hash", "x"}, {"version", "1"}, {"format", "pt"}, {"task.file", "a.txt"}}),
      "");
  EXPECT_THAT(refusal({{"model.heads", "-2"}}), HasSubstr("f: model.heads: got -2"));
  EXPECT_THAT(refusal({{"model.heads", "3"}}), StartsWith("f: "));
  for (const char* encoding : {"ropes", "rope(", "rope@yarn:ntk:yarn", "+"})
    EXPECT_THAT(refusal({{"model.encoding", encoding}}), StartsWith("f: ")) << encoding;
}

TEST_F(SettingsOfAFile, OfAnotherVersionAreRefusedInOneLine) {
  EXPECT_EQ(refusal({{"data_hash", "1"}, {"version", "0.10"}}),
            "f: it was made by version 0.10, expected 1; train the model again");
}

TEST_F(SettingsOfAFile, ThatDescribeOtherTensorsAreRefused) {
  EXPECT_EQ(refusal({{"model.norm", "layernorm"}}),
            "f: tensor block.0.attention_norm.bias is missing, expected shape (4); it belongs to a model of "
            "other settings");
  EXPECT_THAT(refusal({{"model.vocab_size", "8"}}),
              HasSubstr("f: tensor token_embedding.weight has shape (9, 4), expected shape (8, 4)"));
  EXPECT_THAT(refusal({{"model.bias", "false"}}),
              HasSubstr("f: the model has no parameters block.0.attention.output.bias, "));
  EXPECT_THAT(refusal({{"model.encoding", "learned"}}),
              HasSubstr("f: tensor positional.learned.table is missing, expected shape (16, 4)"));
}

// The size of a model is a number in a text: nothing of that size is built before the tensors are looked for.
TEST_F(SettingsOfAFile, OfAModelOfAnySizeAreComparedFirst) {
  std::string many = "conv";
  for (int i = 1; i < 3000; ++i) many += ", conv";
  EXPECT_THAT(
      refusal({{"model.block", many}, {"model.layers", "1000"}}),
      HasSubstr("f: model.block and model.layers make 3000000 branches, and there are only 12 tensors"));
  EXPECT_THAT(refusal({{"model.block", "attention, feed_forward(ff=262144)"}}),
              HasSubstr("block.0.feed_forward.up.weight has shape (16, 4), expected shape (262144, 4)"));
  EXPECT_THAT(refusal({{"model.d_model", "65536"}, {"model.vocab_size", "1000000000"}}),
              HasSubstr("token_embedding.weight has shape (9, 4), expected shape (1000000000, 65536)"));
}

// A file of weights made elsewhere has no task.
TEST_F(SettingsOfAFile, WithoutATaskNeedOneForFineTuning) {
  const std::string path = file({});
  EXPECT_EQ(
      message_of<CheckpointError>([&] { fine_tuning_settings(with({}, command_line_origin), path); }),
      path + ": its metadata lacks task.name, task.train_length; give what is missing, or write it there");
  const Values task = {{"task.name", "copy"}, {"task.train_length", "4"}};
  EXPECT_EQ(fine_tuning_settings(with(task, command_line_origin), path).text("task.name"), "copy");
  EXPECT_FALSE(inference_settings(with({}, command_line_origin), path).is_given("task.name"));
}

}  // namespace
}  // namespace ordinal::experiments
