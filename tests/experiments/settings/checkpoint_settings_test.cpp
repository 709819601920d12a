// How the user's settings override those of a checkpoint.
#include "experiments/settings/checkpoint_settings.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "experiments/settings/checks.h"
#include "experiments/settings/parts.h"
#include "experiments/settings/plan.h"
#include "framework/core/errors.h"
#include "tests/experiments/settings/weights_file.h"
#include "tests/experiments/with.h"
#include "tests/framework/storage/scratch_folder.h"
#include "tests/message_of.h"

namespace ordinal::experiments {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Given on the command line.
Settings typed(const Values& values) { return with(values, command_line_origin); }

// The checkpoint of a training with these settings.
std::string checkpoint(const std::string& name, const Values& values) {
  const Plan plan = plan_of(with(values));
  return written(name + ".safetensors", plan.metadata(3), plan.model);
}

// The lines that reject settings for a checkpoint; one that is empty if they are accepted.
std::vector<std::string> refused(const Values& given, const std::string& path) {
  return split_outside_brackets(
      message_of<CheckpointError>([&] { fine_tuning_settings(typed(given), path); }), '\n');
}

std::string encoding_of(const Settings& settings) {
  return placed_encoding(plan_of(settings).full.at("model.encoding")).encoding.text();
}

// The encoding, without the defaults of rotations, at the positions of training : those of the test.
std::string placed(const Settings& settings) {
  const std::regex plain(", (least_turns=0|pairing=interleaved|precision=float|rotary_fraction=1|turning=1)");
  const std::string encoding = std::regex_replace(encoding_of(settings), plain, "");
  const PositionalChoice choice = positional_choice(settings);
  return encoding + " at " + choice.training.describe(64) + " : " + choice.test.describe(64);
}

// What is given replaces what only training or the test depend on; the rest is the checkpoint's.
TEST(FineTuning, TakesFromTheCheckpointWhatIsNotGiven) {
  const std::string path = checkpoint("plain", {{"model.d_model", "32"},
                                                {"task.name", "copy(symbols=5)"},
                                                {"task.train_length", "8"},
                                                {"train.batch", "7"}});
  const Settings kept = fine_tuning_settings(typed({{"train.steps", "9"}}), path);
  const Settings given = fine_tuning_settings(typed({{"model.positional_dropout", "0.5"},
                                                     {"model.train_length", "99"},
                                                     {"model.dropout", "0.25"},
                                                     {"model.norm", "layernorm(epsilon=0.5)"},
                                                     {"task.name", "copy(symbols=7)"},
                                                     {"task.train_length", "12"}}),
                                              path);
  for (const auto& [key, of_kept, of_given] : std::vector<std::array<std::string, 3>>{
           {"model.d_model", "32", "32"},
           {"task.name", "copy(framed=false, range=1, symbols=5, unique=false)",
            "copy(framed=false, range=1, symbols=7, unique=false)"},
           {"task.train_length", "8", "12"},
           {"model.train_length", "17", "99"},
           {"model.positional_dropout", "0", "0.5"},
           {"model.dropout", "0", "0.25"},
           {"model.norm", "layernorm(epsilon=1e-05)", "layernorm(epsilon=0.5)"},
           {"train.steps", "9", "1000"},
           {"train.batch", "32", "32"}}) {  // how to train is up to each training
    EXPECT_EQ(kept.text(key), of_kept) << key;
    EXPECT_EQ(given.text(key), of_given) << key;
  }
}

// Only of the options that may be automatic is "auto" no request.
TEST(FineTuning, TakesTheLengthsThatAreCalledAuto) {
  const std::string path = checkpoint("mixed", {{"task.lengths", "mixed(longest=128)"}});
  EXPECT_EQ(fine_tuning_settings(typed({{"task.lengths", "auto"}}), path).text("task.lengths"), "auto");
  EXPECT_EQ(fine_tuning_settings(typed({{"model.causal", "auto"}}), path).text("model.causal"), "true");
}

// New options override those of the part, and new positions also apply to the test.
TEST(FineTuning, LaysAGivenEncodingOverThatOfTheCheckpoint) {
  const std::string scaled = "rope(base=500)@contiguous:yarn(scale=4, yarn_beta=7)";
  for (const auto& [trained, key, given, expected] : std::vector<std::array<std::string, 4>>{
           {scaled, "model.encoding", "rope", "rope(base=500) at contiguous : yarn, s 4, α 1, β 7"},
           {scaled, "model.encoding", "rope@contiguous:yarn(scale=5)",
            "rope(base=500) at contiguous : yarn, s 5, α 1, β 7"},
           {scaled, "model.encoding", "rope@interpolated(scale=3)",
            "rope(base=500) at interpolated, s 3 : interpolated, s 3"},
           {scaled, "model.encoding", "rope@contiguous:ntk(scale=3)",
            "rope(base=500) at contiguous : ntk, s 3"},
           {scaled, "model.encoding", "rope@ntk(scale=3):contiguous",
            "rope(base=500) at ntk, s 3 : contiguous"},
           {scaled, "model.encoding", "rope(base=900, precision=half)",
            "rope(base=900, precision=half) at contiguous : yarn, s 4, α 1, β 7"},
           {"rope(base=500, pairing=half)+alibi", "model.encoding", "rope(base=900)+alibi(slope_scale=3)",
            "rope(base=900, pairing=half)+alibi(slope_scale=3) at contiguous : contiguous"},
           // An exchanged encoding stays at its positions unless it names others.
           {scaled, "finetune.encoding", "rope(base=900)",
            "rope(base=900) at contiguous : yarn, s 4, α 1, β 7"},
           {scaled, "finetune.encoding", "xpos@ntk(scale=3)",
            "xpos(base=10000, xpos_gamma=0.4, xpos_scale=32) at ntk, s 3 : ntk, s 3"}}) {
    Settings settings =
        fine_tuning_settings(typed({{key, given}}), checkpoint("encoding", {{"model.encoding", trained}}));
    exchange_encoding(settings);
    EXPECT_EQ(placed(settings), expected) << given;
  }
  const Values both = {{"finetune.encoding", "xpos"}, {"model.encoding", "rope@contiguous:ntk(scale=3)"}};
  Settings settings = fine_tuning_settings(typed(both), checkpoint("encoding", {{"model.encoding", "rope"}}));
  exchange_encoding(settings);
  EXPECT_EQ(placed(settings), "xpos(base=10000, xpos_gamma=0.4, xpos_scale=32) at contiguous : ntk, s 3");
}

TEST(FineTuning, OfWhatTheWeightsAreMadeForIsRefusedWithBothValues) {
  const std::string path = checkpoint("rope", {{"model.encoding", "rope"}, {"model.d_model", "32"}});
  const std::string leave = "leave that out, or train a new model";
  const std::string exchange =
      "leave that out, or exchange it in further training: train --finetune.encoding";
  for (const auto& [key, given, trained, says, fix] : std::vector<std::array<std::string, 5>>{
           {"model.d_model", "64", "32", "64", leave},
           {"model.norm", "rmsnorm", "layernorm", "rmsnorm", leave},
           {"model.block", "attention, feed_forward(ff=7)", "feed_forward(ff=128)", "feed_forward(ff=7)",
            leave},
           {"model.block", "attention", "attention, feed_forward", "attention", leave},
           {"model.encoding", "rope(pairing=half)", "rope(pairing=interleaved)", "rope(pairing=half)",
            exchange},
           {"model.encoding", "alibi", "rope", "alibi", exchange},
           {"model.encoding", "rope+alibi", "rope", "rope+alibi", exchange}})
    EXPECT_THAT(refused({{key, given}}, path),
                ElementsAre(fmt::format("{}: it was trained with {} = {}, command line says {}; {}", path,
                                        key, trained, says, fix)));
}

TEST(FineTuning, AnotherTaskReplacesThatOfTheCheckpoint) {
  const std::string path = checkpoint("task", {{"task.name", "copy(symbols=9)"}});
  for (const auto& [given, task] :
       {std::pair{"reverse", "reverse"}, std::pair{"reverse(symbols=9)", "reverse(symbols=9)"},
        std::pair{"copy", "copy(framed=false, range=1, symbols=9, unique=false)"}})
    EXPECT_EQ(fine_tuning_settings(typed({{"task.name", given}}), path).text("task.name"), task);
}

// "0" and auto request a value that follows from the settings. The checkpoint holds the resolved value.
TEST(FineTuning, AutomaticIsNeverAWish) {
  const std::string path =
      checkpoint("automatic", {{"model.encoding", "sinusoidal(base=500)+t5(max_distance=40)"},
                               {"model.n_kv_heads", "2"},
                               {"model.block", "attention, feed_forward(ff=24)"},
                               {"model.train_length", "50"}});
  const Settings settings =
      fine_tuning_settings(typed({{"model.encoding", "sinusoidal(base=auto)+t5(max_distance=0)"},
                                  {"model.n_kv_heads", "0"},
                                  {"model.block", "attention, feed_forward(ff=0)"},
                                  {"model.vocab_size", "0"},
                                  {"model.train_length", "0"},
                                  {"task.train_length", "128"}}),
                           path);
  EXPECT_THAT(encoding_of(settings), AllOf(HasSubstr("base=500"), HasSubstr("max_distance=40")));
  EXPECT_EQ(settings->model.config.n_kv_heads, 2);
  EXPECT_EQ(settings->model.config.vocab_size, 30);
  EXPECT_EQ(settings->model.train_length, 50);
  EXPECT_THAT(settings.text("model.block"), HasSubstr("ff=24"));
}

// What is bound to weights follows from each option's own declaration.
TEST(FineTuning, KeepsToWhatEveryOptionDeclares) {
  for (const PartInfo& part : part_kind("positional encodings").parts) {
    for (const OptionSpec& option : part.options) {
      const std::string trained = part.name == "learned" ? "learned(overflow=clamp)" : part.name;
      const std::string path = checkpoint("declared", {{"model.encoding", trained}, {"model.d_model", "32"}});
      const Part there = parse_part(
          placed_encoding(settings_of(SafetensorsFile(path), path).text("model.encoding")).encoding.text());
      std::vector<std::string> values = option.choices;
      if (option.type == OptionType::integer) values = {"5"};
      if (option.type == OptionType::real) values = {"0.75", "7.5"};
      if (option.type == OptionType::flag) values = {"true", "false"};
      std::erase_if(values, [&](const std::string& value) {
        return !complaint(option, value).empty() || value == there.options.at(option.name);
      });
      ASSERT_FALSE(values.empty()) << part.name << " " << option.name;
      const std::string given = fmt::format("{}({}={})", part.name, option.name, values.front());
      std::vector<std::string> lines;
      try {
        lines = refused({{"model.encoding", given}}, path);
      } catch (const std::exception&) {
        continue;  // such a model cannot be built
      }
      EXPECT_THAT(lines, ElementsAre(option.binds == Binds::weights
                                         ? HasSubstr("says " + given.substr(0, given.find(')')))
                                         : HasSubstr("")));
      EXPECT_EQ(lines.front().empty(), option.binds != Binds::weights) << given;
    }
  }
}

TEST(Inference, KeepsTheTaskOfTheCheckpoint) {
  const std::string path = checkpoint("inference", {{"task.name", "copy(symbols=9)"}});
  for (const auto& [given, trained] :
       {std::pair{"sort", "copy"}, std::pair{"copy(symbols=5)", "copy(symbols=9)"}})
    EXPECT_EQ(message_of<CheckpointError>([&, given = given] {
                inference_settings(typed({{"task.name", given}}), path);
              }),
              fmt::format(
                  "{}: it was trained with task.name = {}, command line says {}; leave that out, or train a "
                  "new model",
                  path, trained, given));
}

TEST(FineTuning, WithTheSameEncodingNeedsNoOtherCheckpoint) {
  Settings settings = fine_tuning_settings(typed({{"finetune.encoding", "same"}}), checkpoint("same", {}));
  exchange_encoding(settings);
  EXPECT_THAT(unused_settings(settings, Builds::model), IsEmpty());
}

}  // namespace
}  // namespace ordinal::experiments
