// From settings to structs, and back to the settings that weights and scores depend on.
#include "experiments/runs/configure.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "experiments/runs/difference.h"
#include "experiments/runs/progress.h"
#include "experiments/settings/parts.h"
#include "framework/core/errors.h"
#include "models/transformer.h"

namespace ordinal::experiments {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

using Values = std::vector<std::pair<std::string, std::string>>;

Settings with(const Values& values) {
  Settings settings;
  for (const auto& [key, value] : values) settings.set(key, value, "test");
  return settings;
}

std::unique_ptr<Task> task_of(const Settings& settings) { return make_task(task_part(settings)); }

Metadata described(const Settings& settings, Binds last) {
  return described(settings, *task_of(settings), last);
}
Metadata described(const Values& values, Binds last) { return described(with(values), last); }

// The rows of the table of a learned encoding.
std::string table_rows(const Settings& settings) {
  return parse_part(described(settings, Binds::weights).at("positional.encoding")).options.at("max_seq_len");
}

TEST(ModelConfig, TakesItsVocabularyFromTheTask) {
  Settings settings = with({{"positional.encoding", "none"}});
  const auto task = task_of(settings);
  EXPECT_EQ(model_config(settings, *task).vocab_size, task->alphabet().size());
  settings.set("model.vocab_size", "64", "test");
  EXPECT_EQ(model_config(settings, *task).vocab_size, 64);
  settings.set("model.vocab_size", "20", "test");
  EXPECT_THAT([&] { model_config(settings, *task); },
              ThrowsMessage<ConfigError>(HasSubstr("model.vocab_size = 20, but the task has 44")));
}

// A copy of n letters is a sequence of 2n + 1 tokens: a table must have that many rows.
TEST(ModelConfig, SizesTablesForTheTokensOfATrainingExample) {
  Settings settings =
      with({{"positional.encoding", "learned"}, {"task.name", "copy"}, {"task.train_length", "10"}});
  EXPECT_EQ(table_rows(settings), "21");
  settings.set("positional.overflow", "untrained", "test");
  EXPECT_EQ(table_rows(settings), "161");  // 8x of evaluate.lengths
  settings.set("positional.max_seq_len", "33", "test");
  EXPECT_EQ(table_rows(settings), "33");
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
  Settings settings = with({{"positional.encoding", "none"}});
  const auto task = task_of(settings);
  const auto metadata = [&] { return training_metadata(settings, *task, 3); };
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
    const Metadata earlier = metadata();
    settings.set(key, value, "test");
    EXPECT_NE(metadata(), earlier) << key;
  }
}

// A checkpoint records everything in effect, however it was given, so changed defaults have no effect.
TEST(TrainingMetadata, HoldsPartsWithAllTheirOptions) {
  Settings settings = with({{"positional.encoding", "rope"}, {"train.beta2", "0.5"}});
  const Metadata metadata = training_metadata(settings, *task_of(settings), 3);
  EXPECT_EQ(
      metadata.at("positional.encoding"),
      "rope(base=10000, least_turns=0, pairing=interleaved, precision=float, rotary_fraction=1, turning=1)");
  EXPECT_EQ(metadata.at("positional.positions"), "contiguous(offset=0)");
  EXPECT_EQ(metadata.at("train.optimizer"), "adamw(beta1=0.9, beta2=0.5, epsilon=1e-08, weight_decay=0.01)");
  EXPECT_EQ(metadata.at("model.norm"), "layernorm(epsilon=1e-05)");
  EXPECT_EQ(metadata.at("model.block"), "attention, feed_forward(activation=gelu, ff=256)");
  for (const auto& [key, value] : metadata) {
    const Key* known = find_key(key);
    if (known != nullptr) {
      EXPECT_FALSE(known->is_option()) << key << ": stands with its part";
    }
  }
}

// The files of a task are named for the user; only their contents matter.
TEST(TrainingMetadata, NamesTheFilesOfATask) {
  const auto path = (std::filesystem::path(::testing::TempDir()) / "configure_test.txt").string();
  std::ofstream(path) << std::string(5000, 'x');
  const Settings settings = with({{"task.name", "text"}, {"task.file", path}});
  EXPECT_EQ(training_metadata(settings, *task_of(settings), 1).at("task.file"), path);
  EXPECT_EQ(training_metadata(settings, *task_of(settings), 1).at("task.name"), "text");
}

TEST(TrainingMetadata, GivesTheSameSettingsAgain) {
  for (const Values& values :
       {Values{},
        Values{{"positional.encoding", "rope(base=500)@contiguous:yarn"}, {"train.schedule", "constant"}},
        Values{
            {"positional.encoding", "learned+t5(buckets=8)"}, {"task.name", "copy"}, {"task.symbols", "5"}},
        Values{{"model.block", "conv(kernel=2), attention, gated_linear"}, {"positional.encoding", "alibi"}},
        Values{{"positional.encoding", "rope@randomized"}, {"positional.base", "auto"}}}) {
    const Settings settings = with(values);
    const auto task = task_of(settings);
    const Metadata metadata = training_metadata(settings, *task, 3);
    Settings again = Settings::from_map(metadata, "checkpoint");
    for (const char* key : {"evaluate.lengths"}) again.set(key, settings.text(key), "test");
    EXPECT_EQ(described(again, *task_of(again), Binds::test), described(settings, *task, Binds::test));
    EXPECT_EQ(first_difference(metadata, "checkpoint", metadata, *task, Binds::test), std::nullopt);
  }
}

TEST(Described, InlineAndByKeyAreTheSame) {
  const auto expect_same = [](const Values& a, const Values& b) {
    EXPECT_EQ(described(a, Binds::test), described(b, Binds::test)) << a.front().second;
  };
  expect_same({{"positional.encoding", "rope(base=500)"}},
              {{"positional.encoding", "rope"}, {"positional.base", "500"}});
  expect_same({{"positional.encoding", "rope(base=5e2, pairing=interleaved)"}},
              {{"positional.encoding", "rope"}, {"positional.base", "500.0"}});
  expect_same({{"positional.encoding", "rope@randomized:spaced"}}, {{"positional.encoding", "rope"},
                                                                    {"positional.positions", "randomized"},
                                                                    {"positional.test_positions", "spaced"}});
  expect_same({{"positional.encoding", "rope@yarn(scale=2)"}},
              {{"positional.encoding", "rope"}, {"positional.positions", "yarn"}, {"positional.scale", "2"}});
  expect_same({{"model.block", "attention, feed_forward(activation=relu, ff=32)"}},
              {{"model.activation", "relu"}, {"model.ff", "32"}});
  expect_same({{"train.optimizer", "adamw(beta2=0.99)"}}, {{"train.beta2", "0.990"}});
  expect_same({{"task.name", "copy(symbols=5)"}}, {{"task.name", "copy"}, {"task.symbols", "5"}});
  expect_same({{"train.learning_rate", "3e-3"}}, {{"train.learning_rate", "0.003"}});
  expect_same({{"model.n_kv_heads", "4"}}, {{"model.n_kv_heads", "0"}});
}

// `auto` and 0 would mean something else at another length.
TEST(Described, HasWhatIsWorkedOut) {
  const Metadata metadata =
      described({{"positional.encoding", "rope"}, {"positional.base", "auto"}}, Binds::test);
  const double base = std::stod(parse_part(metadata.at("positional.encoding")).options.at("base"));
  EXPECT_NEAR(base, 10.0 * 64.0 / (2.0 * 3.14159265358979), 1e-9);
  EXPECT_EQ(metadata.at("positional.train_length"), "64");
  EXPECT_EQ(described({{"positional.encoding", "t5"}}, Binds::test).at("positional.encoding"),
            "t5(buckets=32, max_distance=64)");
  EXPECT_EQ(described({{"positional.encoding", "rope@randomized"}}, Binds::test).at("positional.positions"),
            "randomized(max_position=1024)");
}

// Rows that do not differ otherwise share a training.
TEST(Described, WhatOnlyTheTestDependsOnIsNoPartOfATraining) {
  const auto differ = [](const Values& a, const Values& b, Binds last) {
    return described(a, last) != described(b, last);
  };
  const auto is_of_the_test = [&](const Values& a, const Values& b) {
    EXPECT_FALSE(differ(a, b, Binds::training)) << b.back().first << " = " << b.back().second;
    EXPECT_TRUE(differ(a, b, Binds::test)) << b.back().first << " = " << b.back().second;
  };
  for (const char* overflow : {"clamp", "interpolate"}) {
    is_of_the_test({{"positional.encoding", "learned"}},
                   {{"positional.encoding", "learned"}, {"positional.overflow", overflow}});
  }
  for (const char* scheme : {"interpolated", "ntk", "dynamic_ntk", "yarn"}) {
    is_of_the_test({{"positional.encoding", "rope"}},
                   {{"positional.encoding", "rope"}, {"positional.test_positions", scheme}});
    is_of_the_test({{"positional.encoding", "rope"}},
                   {{"positional.encoding", std::string("rope@contiguous:") + scheme}});
  }
  is_of_the_test({{"positional.encoding", "rope"}},
                 {{"positional.encoding", "rope"}, {"positional.offset", "5"}});
  is_of_the_test({{"positional.encoding", "rope@contiguous:yarn"}},
                 {{"positional.encoding", "rope@contiguous:yarn(yarn_beta=9)"}});
  is_of_the_test({{"positional.encoding", "rope@contiguous:yarn"}},
                 {{"positional.encoding", "rope@contiguous:yarn(scale=3)"}});
}

TEST(Described, WhatTrainingDependsOnIsPartOfIt) {
  const auto is_of_training = [](const Values& a, const Values& b) {
    EXPECT_NE(described(a, Binds::training), described(b, Binds::training)) << b.back().second;
  };
  is_of_training({{"positional.encoding", "rope"}}, {{"positional.encoding", "rope@interpolated(scale=2)"}});
  is_of_training({{"positional.encoding", "rope@randomized"}},
                 {{"positional.encoding", "rope@randomized(max_position=999)"}});
  is_of_training({{"positional.encoding", "learned"}},  // a larger table
                 {{"positional.encoding", "learned"}, {"positional.overflow", "untrained"}});
  is_of_training({{"positional.encoding", "learned"}},  // which must cover the positions of the test
                 {{"positional.encoding", "learned@contiguous:spaced"}});
  is_of_training({{"positional.encoding", "rope"}}, {{"train.steps", "7"}});
  is_of_training({{"model.norm", "layernorm"}}, {{"model.norm", "layernorm(epsilon=0.5)"}});
}

// An offset of training moves the positions that weights are trained at.
TEST(Described, TheOffsetOfTrainingPositionsIsPartOfTraining) {
  EXPECT_NE(described({{"positional.encoding", "sinusoidal@contiguous"}}, Binds::training),
            described({{"positional.encoding", "sinusoidal@contiguous(offset=5)"}}, Binds::training));
}

// If training itself exceeds the table, overflow affects training.
TEST(Described, OverflowInTrainingIsPartOfIt) {
  const auto of = [](const char* overflow) {
    return described({{"positional.encoding", "learned(max_seq_len=10)"}, {"positional.overflow", overflow}},
                     Binds::training);
  };
  EXPECT_NE(of("clamp"), of("interpolate"));
}

// Another valid value of the option, if there is one that a model of 8 units can use.
std::vector<std::string> other_values(const OptionSpec& option) {
  std::vector<std::string> values;
  for (const std::string& choice : option.choices) values.push_back(choice);
  if (option.type == OptionType::flag) values = {"true", "false"};
  if (option.type == OptionType::integer) values = {"1", "2", "3", "5", "64", "65", "70"};
  if (option.type == OptionType::real) values = {"0.5", "0.25", "1", "2", "3", "700"};
  std::erase_if(values, [&](const std::string& value) {
    return value == option.value || !complaint(option, value).empty();
  });
  return values;
}

// If a checkpoint omitted one, another value would be used silently.
TEST(Described, EveryOptionOfEveryPartChangesIt) {
  struct KindAndKey {
    std::string kind;
    std::string key;
  };
  for (const auto& [kind, key] :
       {KindAndKey{"positional encodings", "positional.encoding"}, KindAndKey{"branches", "model.block"},
        KindAndKey{"norms", "model.norm"}, KindAndKey{"optimizers", "train.optimizer"},
        KindAndKey{"schedules", "train.schedule"}, KindAndKey{"tasks", "task.name"},
        KindAndKey{"positions", "positional.positions"}}) {
    for (const PartInfo& part : part_kind(kind).parts) {
      for (const OptionSpec& option : part.options) {
        if (option.type == OptionType::files) continue;  // the hash of their contents counts
        Settings plain =
            with({{"positional.encoding", "rope"}, {"model.d_model", "32"}, {"model.heads", "2"}});
        plain.set(key, part.name, "test");
        const Metadata before = described(plain, Binds::test);
        int changed = 0;
        for (const std::string& value : other_values(option)) {
          Settings other = plain;
          other.set(key, fmt::format("{}({}={})", part.name, option.name, value), "test");
          Metadata after;
          try {
            after = described(other, Binds::test);
          } catch (const std::exception&) {
            continue;  // legal by itself, but not for this model
          }
          const Part in_force = parse_part(before.at(key));
          const auto resolved = in_force.options.find(option.name);
          if (resolved != in_force.options.end() && resolved->second == value)
            continue;  // the value that 0 resolved to
          EXPECT_NE(after, before) << part.name << " " << option.name << " = " << value;
          ++changed;
        }
        EXPECT_GT(changed, 0) << part.name << " " << option.name << ": no other value could be tried";
      }
    }
  }
}

Metadata metadata_of(const Settings& settings) { return training_metadata(settings, *task_of(settings), 3); }

std::optional<Difference> difference(const Metadata& there, const Settings& here, Binds last,
                                     bool may_be_longer = false) {
  return first_difference(there, "checkpoint", metadata_of(here), *task_of(here), last, may_be_longer);
}

TEST(FirstDifference, OfEqualSettingsIsNone) {
  const Settings settings = with({{"positional.encoding", "rope(base=500)"}});
  EXPECT_EQ(difference(metadata_of(settings), settings, Binds::test), std::nullopt);
  const Settings by_key = with({{"positional.encoding", "rope"}, {"positional.base", "500"}});
  EXPECT_EQ(difference(metadata_of(settings), by_key, Binds::test), std::nullopt);
}

TEST(FirstDifference, NamesTheKeyAndBothValues) {
  const auto found =
      difference(metadata_of(with({{"train.batch", "8"}})), with({{"train.batch", "16"}}), Binds::training);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->key, "train.batch");
  EXPECT_EQ(found->there, "8");
  EXPECT_EQ(found->here, "16");
}

TEST(FirstDifference, OfPartsShowsTheFirstOptionThatDiffersOrTheNames) {
  const auto found = difference(metadata_of(with({{"positional.encoding", "t5"}})),
                                with({{"positional.encoding", "t5(buckets=8)"}}), Binds::training);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->key, "positional.encoding");
  EXPECT_EQ(found->there, "t5(buckets=32)");
  EXPECT_EQ(found->here, "t5(buckets=8)");
  const auto names = difference(metadata_of(with({{"positional.encoding", "t5"}})),
                                with({{"positional.encoding", "rope+alibi"}}), Binds::training);
  ASSERT_TRUE(names);
  EXPECT_EQ(names->there, "t5");
  EXPECT_EQ(names->here, "rope+alibi");
}

// Checkpoints of an earlier version, which had fewer keys.
TEST(FirstDifference, AKeyThatIsMissingHasItsDefault) {
  const Settings settings;
  for (const auto& [key, value] : metadata_of(settings)) {
    if (find_key(key) == nullptr || key == "train.seed") continue;
    Metadata older = metadata_of(settings);
    older.erase(key);
    EXPECT_EQ(difference(older, settings, Binds::test), std::nullopt) << key;
  }
  Metadata older = metadata_of(settings);
  older.erase("train.batch");
  EXPECT_EQ(difference(older, with({{"train.batch", "16"}}), Binds::training).value().there, "32");
}

// Files of the first version have every option as a key of its own.
TEST(FirstDifference, OptionsGivenByTheirKeysCount) {
  Metadata older = metadata_of(with({{"positional.encoding", "rope"}}));
  older["positional.encoding"] = "rope";
  older["positional.base"] = "500";
  EXPECT_EQ(difference(older, with({{"positional.encoding", "rope(base=500)"}}), Binds::test), std::nullopt);
  EXPECT_EQ(difference(older, with({{"positional.encoding", "rope"}}), Binds::test).value().key,
            "positional.encoding");
}

TEST(FirstDifference, OptionsOfPartsThatAreNotThereDoNotMatter) {
  const Settings settings = with({{"positional.encoding", "rope"}});
  for (const auto& [key, value] :
       {std::pair{"positional.buckets", "7"}, std::pair{"positional.slope_scale", "7"},
        std::pair{"train.momentum", "0.5"}, std::pair{"model.kernel", "7"}, std::pair{"task.symbols", "7"}}) {
    Settings other = settings;
    other.set(key, value, "test");
    EXPECT_EQ(difference(metadata_of(settings), other, Binds::test), std::nullopt) << key;
    Metadata there = metadata_of(settings);
    there[key] = value;
    EXPECT_EQ(difference(there, settings, Binds::test), std::nullopt) << key;
  }
}

TEST(FirstDifference, AFileThatMovedDoesNotMatterButAnotherTextDoes) {
  const auto folder = std::filesystem::path(::testing::TempDir());
  const auto text = [&](const std::string& name, const std::string& contents) {
    const auto path = (folder / ("configure_test_" + name)).string();
    std::ofstream(path) << contents;
    return with({{"task.name", "text"}, {"task.file", path}});
  };
  const Settings settings = text("here.txt", std::string(9000, 'x'));
  EXPECT_EQ(difference(metadata_of(settings), text("there.txt", std::string(9000, 'x')), Binds::test),
            std::nullopt);
  const auto found =
      difference(metadata_of(settings), text("other.txt", std::string(9000, 'y')), Binds::test);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->key, "data_hash");
}

TEST(FirstDifference, OfTheSeedOrTheInitialModelCounts) {
  const Settings settings;
  const auto task = task_of(settings);
  const Metadata here = training_metadata(settings, *task, 3);
  Metadata there = training_metadata(settings, *task, 4);
  EXPECT_EQ(first_difference(there, "c", here, *task, Binds::training).value().key, "train.seed");
  there = here;
  there["initial_model"] = "abc";
  const auto found = first_difference(there, "c", here, *task, Binds::training);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->key, "initial_model");
  EXPECT_EQ(found->here, "nothing");
}

// A cosine depends on its last step: a longer run would have had other learning rates from the start.
TEST(FirstDifference, ALongerRunIsTheSameIfItsLearningRateDoesNotKnowTheEnd) {
  for (const char* schedule : {"constant", "inverse_sqrt", "cosine", "linear"}) {
    const Settings shorter = with({{"train.schedule", schedule}, {"train.steps", "500"}});
    const Settings longer = with({{"train.schedule", schedule}, {"train.steps", "900"}});
    const bool same = std::string(schedule) == "constant" || std::string(schedule) == "inverse_sqrt";
    EXPECT_EQ(!difference(metadata_of(shorter), longer, Binds::training, true), same) << schedule;
    EXPECT_EQ(difference(metadata_of(shorter), longer, Binds::training).value().key, "train.steps")
        << schedule;
  }
}

TEST(FirstDifference, OfWhatOnlyTheTestDependsOnIsNoneForATraining) {
  const Settings trained = with({{"positional.encoding", "rope"}});
  const Settings other = with({{"positional.encoding", "rope@contiguous:yarn"}});
  EXPECT_EQ(difference(metadata_of(trained), other, Binds::training), std::nullopt);
  EXPECT_EQ(difference(metadata_of(trained), other, Binds::test).value().key, "positional.test_positions");
}

TEST(FirstDifference, MetadataThatMakesNoSettingsIsRefused) {
  Metadata there = metadata_of(Settings());
  there["model.heads"] = "-2";
  EXPECT_THAT([&] { difference(there, Settings(), Binds::training); },
              ThrowsMessage<ConfigError>(HasSubstr("checkpoint: model.heads: got -2")));
}

Settings second_stage(const Values& values) {
  Settings settings = with(values);
  settings.set("finetune.steps", "30", "test");
  return finetune_settings(settings, *task_of(settings));
}

TEST(FinetuneSettings, AreThoseOfTheFirstStageWithWhatFinetuneSays) {
  const Settings second = second_stage({{"finetune.length", "2x"},
                                        {"finetune.learning_rate", "1e-5"},
                                        {"train.batch", "4"},
                                        {"train.warmup", "70"}});
  EXPECT_EQ(second.integer("train.steps"), 30);
  EXPECT_EQ(second.integer("task.train_length"), 128);
  EXPECT_EQ(second.real("train.learning_rate"), 1e-5);
  EXPECT_EQ(second.integer("train.batch"), 4);
  EXPECT_EQ(second.integer("train.warmup"), 30);   // not past the end
  EXPECT_EQ(second.integer("finetune.steps"), 0);  // there is no third stage
}

TEST(FinetuneSettings, KeepTheLearningRateUnlessItIsGiven) {
  EXPECT_EQ(second_stage({{"train.learning_rate", "0.5"}}).real("train.learning_rate"), 0.5);
}

// Lengths are multiples of the first training length: 4x is the same length for all rows.
TEST(FinetuneSettings, TestAtTheSameLengths) {
  const Settings first = with({{"evaluate.lengths", "1x, 4x, 100"}});
  const Settings second = second_stage({{"evaluate.lengths", "1x, 4x, 100"}, {"finetune.length", "2x"}});
  EXPECT_EQ(evaluation_lengths(second), evaluation_lengths(first));
}

// Interpolation after Chen et al. 2023: the model knows the positions of the first stage, longer sequences
// are interpolated into their range, now in training as well as in the test.
TEST(FinetuneSettings, SqueezeLongerSequencesIntoTheRangeOfTheFirstStage) {
  const Settings second =
      second_stage({{"positional.encoding", "rope@contiguous:interpolated"}, {"finetune.length", "4x"}});
  const auto task = task_of(second);
  const PositionScheme training = training_positions(second, *task);
  EXPECT_EQ(training.kind, PositionScheme::Kind::interpolated);
  EXPECT_EQ(training.train_length, 64);
  EXPECT_EQ(stretch_factor(training, 256), 4.0);
  EXPECT_EQ(stretch_factor(test_positions(second, *task), 512), 8.0);
}

TEST(FinetuneSettings, TakePositionsOfTheirOwn) {
  const Settings second = second_stage({{"positional.encoding", "rope@contiguous:yarn"},
                                        {"finetune.positions", "contiguous"},
                                        {"finetune.length", "2x"}});
  const auto task = task_of(second);
  EXPECT_EQ(training_positions(second, *task).kind, PositionScheme::Kind::contiguous);
  EXPECT_EQ(test_positions(second, *task).kind, PositionScheme::Kind::yarn);
  EXPECT_EQ(test_positions(second, *task).train_length, 64);
}

// The second stage continues from the first one's weights: they must be the same parameters.
TEST(FinetuneSettings, BuildAModelWithTheSameParameters) {
  for (const EncodingEntry& entry : encodings().entries()) {
    Settings first = with({{"positional.encoding", entry.name},
                           {"positional.overflow", "clamp"},
                           {"finetune.length", "2x"},
                           {"finetune.steps", "30"}});
    const auto task = task_of(first);
    const Settings second = finetune_settings(first, *task);
    const Transformer<float> before(model_config(first, *task));
    const Transformer<float> after(model_config(second, *task));
    ASSERT_EQ(before.layout().specs().size(), after.layout().specs().size()) << entry.name;
    for (std::size_t i = 0; i < before.layout().specs().size(); ++i) {
      EXPECT_EQ(before.layout().specs()[i].name, after.layout().specs()[i].name);
      EXPECT_EQ(before.layout().specs()[i].shape, after.layout().specs()[i].shape) << entry.name;
    }
    // Values resolved for the first stage are kept: an automatic base, a number of buckets.
    const Metadata now = described(second, *task, Binds::training);
    const OptionValues options = parse_part(now.at("positional.encoding")).options;
    for (const auto& [option, value] :
         parse_part(described(first, *task, Binds::training).at("positional.encoding")).options) {
      EXPECT_EQ(options.at(option), value) << entry.name << " " << option;
    }
  }
}

TEST(FinetuneSettings, LearnFromAnotherText) {
  const auto path = (std::filesystem::path(::testing::TempDir()) / "configure_test_second.txt").string();
  std::ofstream(path) << std::string(9000, 'x');
  const Settings second =
      second_stage({{"task.name", "text"}, {"task.file", path}, {"finetune.file", "b.txt"}});
  EXPECT_EQ(second.text("task.file"), "b.txt");
  EXPECT_EQ(second_stage({{"task.name", "text"}, {"task.file", path}}).text("task.file"), path);
}

TEST(DurationText, IsShortAtEveryScale) {
  EXPECT_EQ(duration_text(0.4), "0 s");
  EXPECT_EQ(duration_text(59.4), "59 s");
  EXPECT_EQ(duration_text(59.6), "1 min 00 s");
  EXPECT_EQ(duration_text(200), "3 min 20 s");
  EXPECT_EQ(duration_text(7500), "2 h 05 min");
}

}  // namespace
}  // namespace ordinal::experiments
