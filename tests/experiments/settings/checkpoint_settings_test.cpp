// The settings stored in a checkpoint, and how the user's settings override them.
#include "experiments/settings/checkpoint_settings.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "experiments/settings/checks.h"
#include "experiments/settings/parts.h"
#include "experiments/settings/plan.h"
#include "framework/core/errors.h"
#include "framework/training/checkpoint.h"
#include "models/transformer.h"
#include "tests/experiments/with.h"

namespace ordinal::experiments {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

// Given on the command line.
Settings with(const Values& values) { return experiments::with(values, command_line_origin); }

// A file with metadata and, if `rows` > 0, an embedding and a table of that many rows.
std::string written(const std::string& name, const Metadata& metadata, Index rows = 0) {
  SafetensorsWriter writer;
  for (const auto& [key, value] : metadata) writer.set_metadata(key, value);
  const std::vector<float> values(static_cast<std::size_t>(rows * 4));
  if (rows > 0) writer.add("token_embedding.weight", {rows, 4}, values);
  if (rows > 0) writer.add("positional.learned.table", {rows, 4}, values);
  const auto path = std::filesystem::path(::testing::TempDir()) / ("checkpoint_settings_test_" + name);
  writer.write(path);
  return path.string();
}

Settings settings_of_file(const std::string& path) { return settings_of(SafetensorsFile(path), "f"); }

// The checkpoint of a training with these settings.
std::string checkpoint(const std::string& name, const Values& values) {
  const Settings settings = experiments::with(values);
  return written(name + ".safetensors", plan_of(settings).metadata(3));
}

// The lines that reject settings for a checkpoint; none if they are accepted.
std::vector<std::string> refused(const Values& given, const std::string& path) {
  try {
    fine_tuning_settings(with(given), path);
  } catch (const CheckpointError& error) {
    return split_outside_brackets(error.what(), '\n');
  }
  return {};
}

std::string encoding_of(const Settings& settings) {
  const auto task = task_of(settings);
  return Plan(settings, task).text(Binds::test).at("positional.encoding");
}

TEST(SettingsOfAFile, FillSizesFromItsTensors) {
  const Metadata metadata = {
      {"model.d_model", "4"}, {"model.heads", "2"}, {"positional.encoding", "learned"}};
  const Settings settings = settings_of_file(written("tensors.safetensors", metadata, 6));
  EXPECT_EQ(settings.integer("model.vocab_size"), 6);
  EXPECT_EQ(settings.text("positional.encoding"), "learned(max_seq_len=6)");
  EXPECT_EQ(Plan(settings).model.d_model, 4);
}

// Each table has 6 rows, and nothing says so but its tensor.
TEST(SettingsOfAFile, FillTheSizesOfAllTables) {
  for (const auto& [name, sized] : std::vector<std::pair<std::string, std::string>>{
           {"alibi+learned", "alibi+learned(max_seq_len=6)"},
           {"cope", "cope(cope_positions=6)"},
           {"tupe", "tupe(embedding=learned(init_sd=1, max_seq_len=6))"},
           {"tupe(embedding=sinusoidal)", "tupe(embedding=sinusoidal)"}}) {
    const Transformer<float> model(
        {.vocab_size = 6, .d_model = 4, .heads = 2, .encoding = sized, .positions = 1});
    const Parameters<float> trained(model.layout());
    SafetensorsWriter writer;
    add_parameters(writer, trained);
    for (const auto& [key, value] :
         Metadata{{"model.d_model", "4"}, {"model.heads", "2"}, {"positional.encoding", name}})
      writer.set_metadata(key, value);
    const auto path =
        std::filesystem::path(::testing::TempDir()) / "checkpoint_settings_test_sized.safetensors";
    writer.write(path);
    const Settings settings = settings_of_file(path.string());
    EXPECT_EQ(settings.text("positional.encoding"), sized);
    const Transformer<float> loaded(Plan(settings).model);
    Parameters<float> values(loaded.layout());
    EXPECT_NO_THROW(load_parameters(SafetensorsFile(path), values)) << name;
  }
}

TEST(SettingsOfAFile, ASizeInTheMetadataCountsMoreThanItsTensor) {
  const Metadata by_key = {{"positional.encoding", "learned"}, {"positional.max_seq_len", "5"}};
  const Metadata inlined = {{"positional.encoding", "learned(max_seq_len=5)"}};
  for (const Metadata& metadata : {by_key, inlined}) {
    EXPECT_EQ(settings_of_file(written("sized.safetensors", metadata, 6)).text("positional.encoding"),
              "learned(max_seq_len=5)");
  }
}

TEST(SettingsOfAFile, WithoutASizeOrWithAWrongValueAreRefused) {
  const auto refused = [](const std::string& name, const Metadata& metadata) {
    return [=] { settings_of_file(written(name, metadata)); };
  };
  EXPECT_THAT(refused("none.safetensors", {}),
              ThrowsMessage<CheckpointError>(HasSubstr("f: no model.vocab_size in its metadata")));
  EXPECT_THAT(refused("wrong.safetensors", {{"model.heads", "-2"}}),
              ThrowsMessage<CheckpointError>(HasSubstr("f: model.heads: got -2")));
  for (const char* encoding : {"ropes", "rope(", "rope@yarn:ntk:yarn", "+"}) {
    EXPECT_THAT(
        refused("unknown.safetensors", {{"positional.encoding", encoding}, {"model.vocab_size", "9"}}),
        ThrowsMessage<CheckpointError>(HasSubstr("f: ")))
        << encoding;
  }
}

// Files of the first version and hand-made files.
TEST(SettingsOfAFile, TakeOptionsByTheirKeysAndPositionsAtTheEncoding) {
  const Settings settings =
      settings_of_file(written("by_hand.safetensors", {{"model.vocab_size", "9"},
                                                       {"positional.encoding", "rope@contiguous:yarn"},
                                                       {"positional.pairing", "half"},
                                                       {"positional.base", "500"},
                                                       {"positional.buckets", "7"},
                                                       {"model.activation", "relu"},
                                                       {"model.norm", "rmsnorm"}}));
  EXPECT_EQ(settings.text("positional.encoding"), "rope(base=500, pairing=half)");
  EXPECT_EQ(settings.text("positional.positions"), "contiguous");
  EXPECT_EQ(settings.text("positional.test_positions"), "yarn");
  EXPECT_EQ(settings.text("model.block"), "attention, feed_forward(activation=relu)");
  for (const Key& key : all_keys()) {
    if (key.is_option()) {
      EXPECT_FALSE(settings.is_given(key.name)) << key.name;
    }
  }
}

TEST(FineTuning, TakesFromTheCheckpointWhatIsNotGiven) {
  const std::string path = checkpoint("plain", {{"positional.encoding", "rope(base=500)@contiguous:yarn"},
                                                {"model.d_model", "32"},
                                                {"task.name", "copy(symbols=5)"},
                                                {"task.train_length", "8"},
                                                {"train.batch", "7"}});
  const Settings settings = fine_tuning_settings(with({{"train.steps", "9"}}), path);
  EXPECT_EQ(settings.integer("model.d_model"), 32);
  EXPECT_EQ(settings.text("task.name"), "copy(symbols=5, unique=false)");
  EXPECT_EQ(settings.integer("task.train_length"), 8);
  EXPECT_EQ(settings.integer("positional.train_length"), 17);
  EXPECT_EQ(settings.integer("train.steps"), 9);
  EXPECT_EQ(settings.integer("train.batch"), 32);  // how to train is up to each training
  EXPECT_EQ(
      encoding_of(settings),
      "rope(base=500, least_turns=0, pairing=interleaved, precision=float, rotary_fraction=1, turning=1)");
  const PositionalChoice choice = positional_choice(settings);
  EXPECT_EQ(choice.training.name(), "contiguous");
  EXPECT_EQ(choice.test.name(), "yarn");
}

TEST(FineTuning, OfWhatTheWeightsAreMadeForIsRefusedWithBothValues) {
  const std::string path = checkpoint("rope", {{"positional.encoding", "rope"}, {"model.d_model", "32"}});
  const auto line = [&](const std::string& trained, const std::string& says) {
    return ElementsAre(
        fmt::format("{}: it was trained with {}, command line says {}; leave that out, or train a "
                    "new model",
                    path, trained, says));
  };
  EXPECT_THAT(refused({{"model.d_model", "64"}}, path), line("model.d_model = 32", "64"));
  EXPECT_THAT(refused({{"positional.pairing", "half"}}, path),
              line("positional.pairing = interleaved", "half"));
  EXPECT_THAT(refused({{"positional.encoding", "rope(pairing=half)"}}, path),
              line("positional.pairing = interleaved", "half"));
  EXPECT_THAT(refused({{"model.activation", "relu"}}, path), line("model.activation = gelu", "relu"));
  EXPECT_THAT(refused({{"model.ff", "7"}}, path), line("model.ff = 128", "7"));
  EXPECT_THAT(refused({{"model.norm", "rmsnorm"}}, path),
              ElementsAre(AllOf(HasSubstr("model.norm = layernorm"), HasSubstr("says rmsnorm"))));
  EXPECT_THAT(
      refused({{"model.block", "attention"}}, path),
      ElementsAre(AllOf(HasSubstr("model.block = attention, feed_forward,"), HasSubstr("says attention"))));
  EXPECT_THAT(refused({{"positional.encoding", "alibi"}}, path),
              ElementsAre(AllOf(HasSubstr("positional.encoding = rope,"), HasSubstr("says alibi"))));
  EXPECT_THAT(refused({{"positional.encoding", "rope+alibi"}}, path),
              ElementsAre(HasSubstr("says rope+alibi")));
}

TEST(FineTuning, SaysAllThatIsRefusedAtOnce) {
  const std::string path = checkpoint("all", {{"positional.encoding", "rope"}});
  EXPECT_EQ(
      refused({{"model.d_model", "32"}, {"model.layers", "1"}, {"positional.pairing", "half"}}, path).size(),
      3U);
}

TEST(FineTuning, TheSameValueInOtherWordsIsNoDifference) {
  const std::string path = checkpoint(
      "same",
      {{"positional.encoding", "xpos(xpos_gamma=0.5)"}, {"model.n_kv_heads", "4"}, {"model.ff", "256"}});
  EXPECT_THAT(refused({{"positional.encoding", "xpos"},
                       {"positional.xpos_gamma", "5e-1"},
                       {"positional.pairing", "interleaved"},
                       {"model.block", "attention, feed_forward"},
                       {"model.d_model", "64"},
                       {"model.heads", "4"},
                       {"model.n_kv_heads", "4"},
                       {"model.ff", "256"},
                       {"model.norm", "layernorm"}},
                      path),
              IsEmpty());
}

// Hand-made files may leave sizes automatic.
TEST(FineTuning, ASizeThatZeroStoodForIsNoDifference) {
  const std::string path = written("zeros.safetensors", {{"model.vocab_size", "39"},
                                                         {"model.d_model", "8"},
                                                         {"model.heads", "4"},
                                                         {"model.n_kv_heads", "0"},
                                                         {"model.ff", "0"},
                                                         {"positional.encoding", "none"}});
  EXPECT_THAT(refused({{"model.n_kv_heads", "4"}}, path), IsEmpty());
  EXPECT_THAT(refused({{"model.ff", "32"}}, path), IsEmpty());
  EXPECT_THAT(refused({{"model.n_kv_heads", "2"}}, path), ElementsAre(HasSubstr("model.n_kv_heads")));
  EXPECT_THAT(refused({{"model.ff", "33"}}, path), ElementsAre(HasSubstr("model.ff")));
}

TEST(FineTuning, TakesWhatOnlyTrainingOrTheTestDependOn) {
  const std::string path = checkpoint("taken", {{"positional.encoding", "rope(base=500)"}});
  const Settings settings = fine_tuning_settings(with({{"positional.base", "900"},
                                                       {"positional.precision", "half"},
                                                       {"positional.positions", "randomized"},
                                                       {"positional.dropout", "0.5"},
                                                       {"positional.train_length", "99"},
                                                       {"model.dropout", "0.25"},
                                                       {"model.epsilon", "0.5"},
                                                       {"task.name", "copy"},
                                                       {"task.symbols", "7"},
                                                       {"task.train_length", "12"}}),
                                                 path);
  EXPECT_EQ(
      encoding_of(settings),
      "rope(base=900, least_turns=0, pairing=interleaved, precision=half, rotary_fraction=1, turning=1)");
  const PositionalChoice choice = positional_choice(settings);
  EXPECT_EQ(choice.training.name(), "randomized");
  EXPECT_EQ(choice.test.name(), "randomized");  // new positions also apply to the test
  EXPECT_EQ(settings.real("positional.dropout"), 0.5);
  EXPECT_EQ(settings.integer("positional.train_length"), 99);
  EXPECT_EQ(settings.real("model.dropout"), 0.25);
  EXPECT_EQ(settings.text("model.norm"), "layernorm(epsilon=0.5)");
  EXPECT_EQ(to_string(task_part(settings)), "copy(symbols=7)");
  EXPECT_EQ(settings.integer("task.train_length"), 12);
}

// Inline options override those of the part; the rest of it stays the checkpoint's.
TEST(FineTuning, LaysInlineOptionsOverThoseOfTheCheckpoint) {
  const std::string path =
      checkpoint("inline", {{"positional.encoding", "rope(base=500, pairing=half)+alibi"}});
  const Settings settings = fine_tuning_settings(
      with({{"positional.encoding", "rope(base=900)+alibi"}, {"positional.slope_scale", "3"}}), path);
  EXPECT_EQ(encoding_of(settings),
            "rope(base=900, least_turns=0, pairing=half, precision=float, rotary_fraction=1, "
            "turning=1)+alibi(slope_scale=3)");
}

TEST(FineTuning, PositionsMayStandAtTheEncoding) {
  const std::string path = checkpoint("entry", {{"positional.encoding", "rope(base=500)@contiguous:ntk"}});
  const auto kinds = [&](const Values& given) {
    const PositionalChoice choice = positional_choice(fine_tuning_settings(with(given), path));
    EXPECT_THAT(choice.encoding, HasSubstr("base=500"));
    return choice.training.name() + ":" + choice.test.name();
  };
  EXPECT_EQ(kinds({}), "contiguous:ntk");
  EXPECT_EQ(kinds({{"positional.encoding", "rope@interpolated"}}), "interpolated:interpolated");
  EXPECT_EQ(kinds({{"positional.encoding", "rope@contiguous:yarn"}}), "contiguous:yarn");
  EXPECT_EQ(kinds({{"positional.positions", "yarn"}}), "yarn:yarn");
  EXPECT_EQ(kinds({{"positional.test_positions", "yarn"}}), "contiguous:yarn");
  EXPECT_EQ(kinds({{"positional.positions", "yarn"}, {"positional.test_positions", "contiguous"}}),
            "yarn:contiguous");
}

TEST(FineTuning, OptionsOfPositionsAreTaken) {
  const std::string path = checkpoint("positions", {{"positional.encoding", "rope@contiguous:yarn"}});
  const Settings settings =
      fine_tuning_settings(with({{"positional.yarn_beta", "9"}, {"positional.scale", "3"}}), path);
  const PositionalChoice choice = positional_choice(settings);
  EXPECT_EQ(specs_of(choice.test)[2].value, "9");
  EXPECT_EQ(choice.test.scale, 3.0);
  EXPECT_EQ(positional_choice(fine_tuning_settings(with({{"positional.offset", "4"}}),
                                                   checkpoint("offset", {{"positional.encoding", "rope"}})))
                .test.offset,
            4.0);
}

TEST(FineTuning, AnotherTaskReplacesThatOfTheCheckpoint) {
  const std::string path =
      checkpoint("task", {{"positional.encoding", "rope"}, {"task.name", "copy(symbols=9)"}});
  EXPECT_EQ(fine_tuning_settings(with({{"task.name", "reverse"}}), path).text("task.name"), "reverse");
  EXPECT_EQ(fine_tuning_settings(with({{"task.name", "reverse(symbols=9)"}}), path).text("task.name"),
            "reverse(symbols=9)");
  EXPECT_EQ(fine_tuning_settings(with({{"task.name", "copy"}}), path).text("task.name"),
            "copy(symbols=9, unique=false)");
  EXPECT_THAT(refused({{"task.name", "copy(symbols=4)"}}, path),
              ElementsAre(AllOf(HasSubstr("task.symbols = 9"), HasSubstr("says 4"))));
}

// Files of the first version hold every option separately and do not name the branches of a block.
TEST(FineTuning, OfAnOptionThatAnEarlierVersionWroteIsRefused) {
  const std::string path = written("earlier.safetensors", {{"model.vocab_size", "39"},
                                                           {"model.activation", "gelu"},
                                                           {"model.ff", "0"},
                                                           {"positional.encoding", "rope"},
                                                           {"positional.pairing", "interleaved"}});
  EXPECT_THAT(refused({{"model.activation", "relu"}}, path),
              ElementsAre(HasSubstr("model.activation = gelu")));
  EXPECT_THAT(refused({{"positional.pairing", "half"}}, path), ElementsAre(HasSubstr("says half")));
  EXPECT_THAT(refused({{"model.activation", "gelu"}, {"model.ff", "256"}}, path), IsEmpty());
}

// "0" and auto request a value that follows from the settings. The checkpoint holds the resolved value.
TEST(FineTuning, AutomaticIsNeverAWish) {
  const std::string path =
      checkpoint("automatic", {{"positional.encoding", "sinusoidal(base=500)+t5(max_distance=40)"},
                               {"model.n_kv_heads", "2"},
                               {"model.ff", "24"},
                               {"positional.train_length", "50"}});
  const Settings settings = fine_tuning_settings(with({{"positional.base", "auto"},
                                                       {"positional.max_distance", "0"},
                                                       {"model.n_kv_heads", "0"},
                                                       {"model.ff", "0"},
                                                       {"model.vocab_size", "0"},
                                                       {"positional.train_length", "0"},
                                                       {"task.train_length", "128"}}),
                                                 path);
  EXPECT_THAT(encoding_of(settings), AllOf(HasSubstr("base=500"), HasSubstr("max_distance=40")));
  EXPECT_EQ(settings.integer("model.n_kv_heads"), 2);
  EXPECT_EQ(settings.integer("model.vocab_size"), 30);
  EXPECT_EQ(settings.integer("positional.train_length"), 50);
  EXPECT_THAT(in_effect(settings, "model.block"), HasSubstr("ff=24"));
  const Settings inlined =
      fine_tuning_settings(with({{"positional.encoding", "sinusoidal(base=auto)+t5(max_distance=0)"}}), path);
  EXPECT_THAT(encoding_of(inlined), AllOf(HasSubstr("base=500"), HasSubstr("max_distance=40")));
}

// What is bound to weights follows from each option's own declaration: for all parts, in both notations.
TEST(FineTuning, KeepsToWhatEveryOptionDeclares) {
  for (const PartInfo& part : part_kind("positional encodings").parts) {
    for (const OptionSpec& option : part.options) {
      const std::string path = checkpoint(
          "declared",
          {{"positional.encoding", part.name}, {"positional.overflow", "clamp"}, {"model.d_model", "32"}});
      const Part there = parse_part(settings_of_file(path).text("positional.encoding"));
      std::vector<std::string> values = option.choices;
      if (option.type == OptionType::integer) values = {"5"};
      if (option.type == OptionType::real) values = {"0.75", "7.5"};
      if (option.type == OptionType::flag) values = {"true", "false"};
      std::erase_if(values, [&](const std::string& value) {
        return !complaint(option, value).empty() || value == there.options.at(option.name);
      });
      ASSERT_FALSE(values.empty()) << part.name << " " << option.name;
      for (const Values& given :
           {Values{{"positional." + option.name, values.front()}},
            Values{
                {"positional.encoding", fmt::format("{}({}={})", part.name, option.name, values.front())}}}) {
        const auto lines = refused(given, path);
        EXPECT_EQ(lines.size(), option.binds == Binds::weights ? 1U : 0U) << part.name << " " << option.name;
        if (lines.empty()) {
          EXPECT_EQ(parse_part(fine_tuning_settings(with(given), path).text("positional.encoding"))
                        .options.at(option.name),
                    values.front())
              << part.name;
        } else {
          EXPECT_THAT(lines.front(),
                      AllOf(HasSubstr("positional." + option.name + " = " + there.options.at(option.name)),
                            HasSubstr("says " + values.front())));
        }
      }
    }
  }
}

TEST(Inference, KeepsTheTaskOfTheCheckpoint) {
  const std::string path =
      checkpoint("inference", {{"positional.encoding", "rope"}, {"task.train_length", "48"}});
  EXPECT_EQ(inference_settings(with({{"task.train_length", "128"}}), path).integer("task.train_length"), 48);
  EXPECT_THAT(
      [&] {
        inference_settings(with({{"task.name", "copy"}}), path);
      },
      ThrowsMessage<CheckpointError>(HasSubstr("it was trained with task.name = language")));
}

// Options without effect on the command line are reported, with and without a checkpoint.
std::vector<std::string> unused_in(const Settings& given, const std::string& path) {
  const Settings settings = fine_tuning_settings(given, path);
  EXPECT_THAT(contradictions(settings, Builds::model), IsEmpty());
  return unused_settings(settings, Builds::model);
}

TEST(FineTuning, AnOptionThatNoPartOfTheCheckpointHasWouldChangeNothing) {
  const std::string path = checkpoint("unused", {{"positional.encoding", "rope"}});
  const Values values = {{"positional.buckets", "8"}};
  EXPECT_THAT(unused_in(with(values), path),
              ElementsAre(HasSubstr("positional.buckets = 8 would change nothing")));
  EXPECT_THAT(unused_in(experiments::with(values, "a.cfg:3"), path), IsEmpty());
}

TEST(FineTuning, AnOptionThatTheExchangedEncodingSetsItselfWouldChangeNothing) {
  const std::string path = checkpoint("exchanged", {{"positional.encoding", "sinusoidal"}});
  EXPECT_THAT(
      unused_in(with({{"finetune.encoding", "rope(base=500)"}, {"positional.base", "100"}}), path),
      ElementsAre(HasSubstr("positional.base = 100 would change nothing: it is set in rope(base=500)")));
  EXPECT_THAT(unused_in(with({{"finetune.encoding", "rope"}, {"positional.base", "100"}}), path), IsEmpty());
}

TEST(FineTuning, WithTheSameEncodingNeedsNoOtherCheckpoint) {
  const std::string path = checkpoint("same", {{"positional.encoding", "rope"}});
  EXPECT_THAT(unused_in(with({{"finetune.encoding", "same"}}), path), IsEmpty());
}

TEST(FineTuning, OfAFileThatIsNoCheckpointIsRefused) {
  EXPECT_THROW(fine_tuning_settings(Settings(), "/nothing/here.safetensors"), CheckpointError);
}

}  // namespace
}  // namespace ordinal::experiments
