// From settings to structs, the metadata of a training, and the second stage.
#include "experiments/settings/plan.h"
#include "experiments/settings/command_line.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "experiments/settings/parts.h"
#include "framework/core/errors.h"
#include "models/transformer.h"
#include "tests/experiments/with.h"
#include "tests/framework/storage/scratch_folder.h"
#include "tests/message_of.h"

namespace ordinal::experiments {
namespace {

using ::testing::HasSubstr;

// The rows of the table of a learned encoding.
std::string table_rows(const Settings& settings) {
  return parse_part(plan_of(settings).text(Binds::weights).at("model.encoding")).options.at("max_seq_len");
}

TEST(ModelConfig, TakesItsVocabularyFromTheTask) {
  EXPECT_EQ(plan_of(Settings()).model.vocab_size, task_of(Settings())->alphabet().size());
  EXPECT_EQ(plan_of(with({{"model.vocab_size", "64"}})).model.vocab_size, 64);
  EXPECT_THAT(message_of<ConfigError>([] {
                plan_of(with({{"model.vocab_size", "20"}}));
              }),
              HasSubstr("model.vocab_size = 20, but the task has 30"));
}

// A copy of n letters is a sequence of 2n + 1 tokens: a table must have that many rows.
TEST(ModelConfig, SizesTablesForTheTokensOfATrainingExample) {
  Settings settings =
      with({{"model.encoding", "learned"}, {"task.name", "copy"}, {"task.train_length", "10"}});
  EXPECT_EQ(table_rows(settings), "21");
  settings.set("model.encoding", "learned(overflow=untrained)", "test");
  EXPECT_EQ(table_rows(settings), "161");  // 8x of evaluate.lengths
  settings.set("model.encoding", "learned(max_seq_len=33)", "test");
  EXPECT_EQ(table_rows(settings), "33");
}

// Tables and what encodings derive from the training length follow the long batches; metrics do not.
TEST(ModelConfig, FollowsTheLongestLengthOfTraining) {
  Settings settings = with({{"model.encoding", "learned"},
                            {"task.name", "copy"},
                            {"task.train_length", "10"},
                            {"task.lengths", "mixed(longest=30)"}});
  EXPECT_EQ(table_rows(settings), "61");
  EXPECT_EQ(plan_of(settings).model.train_length, 61);
  EXPECT_EQ(plan_of(settings).seq_len(), 61);
  EXPECT_EQ(plan_of(settings).short_seq_len(), 21);
  settings.set("model.train_length", "21", "test");
  EXPECT_EQ(table_rows(settings), "61");
  EXPECT_EQ(plan_of(settings).model.train_length, 21);
  settings.set("task.lengths", "growing", "test");
  EXPECT_EQ(table_rows(settings), "21");
  settings.set("model.train_length", "40", "test");
  EXPECT_EQ(plan_of(settings).short_seq_len(), 40);
}

// They are multiples of the length of the first.
TEST(SecondStage, IsTestedAtTheLengthsOfTheFirst) {
  const Settings settings = with({{"finetune.steps", "10"},
                                  {"finetune.length", "4x"},
                                  {"evaluate.conditions", "trained, window@1x+8x"}});
  const Settings second = plan_of(settings).second_stage();
  EXPECT_EQ(evaluation_lengths(second), evaluation_lengths(settings));
  EXPECT_EQ(conditions_text(second), "trained, window@64+512");
}

TEST(SecondStage, HasLengthsOfItsOwn) {
  Settings settings = with({{"task.train_length", "16"},
                            {"task.lengths", "mixed(longest=32)"},
                            {"finetune.steps", "10"},
                            {"finetune.length", "2x"},
                            {"finetune.lengths", "growing(from=4)"}});
  const Settings second = plan_of(settings).second_stage();
  EXPECT_EQ(second.text("task.lengths"), "growing(from=4)");
  EXPECT_EQ(plan_of(second).text(Binds::training).at("task.lengths"), "growing(from=4, until=0.5)");
  settings.set("finetune.lengths", "same", "test");
  EXPECT_THAT(message_of<ConfigError>([&] { plan_of(plan_of(settings).second_stage()); }),
              HasSubstr("got longest = 32, expected more than the training length "
                        "32 (set longest, task.train_length, or in"));
}

TEST(TrainerOptions, WarmUpNoLongerThanTheRun) {
  const Plan plan = plan_of(with({{"train.steps", "50"}, {"train.shards", "4"}}));
  EXPECT_EQ(plan.trainer(1).schedule.warmup, 50);
  EXPECT_EQ(plan.full.at("train.warmup"), "50") << "which binds a result";
  EXPECT_EQ(plan.trainer(7).shards, 4);
  EXPECT_EQ(plan.trainer(7).seed, 7U);
}

TEST(TrainingMetadata, HoldsWhatTheWeightsAndTheLogDependOnAndNothingElse) {
  const auto metadata = [&](const Values& values) { return plan_of(with(values)).metadata(3); };
  const Metadata before = metadata({});
  EXPECT_EQ(before.at("train.seed"), "3");
  EXPECT_EQ(before.at("data_hash"), task_of(Settings())->data_hash());
  for (const auto& [key, value] :
       {std::pair{"evaluate.batches", "3"}, std::pair{"train.checkpoint_every", "7"},
        std::pair{"experiment.seeds", "9"}, std::pair{"experiment.name", "x"}})
    EXPECT_EQ(metadata({{key, value}}), before) << key;
  for (const auto& [key, value] : {std::pair{"train.optimizer", "sgd"}, std::pair{"model.bias", "false"},
                                   std::pair{"model.positional_dropout", "0.5"},
                                   std::pair{"train.batch", "8"}, std::pair{"train.log_every", "7"}})
    EXPECT_NE(metadata({{key, value}}), before) << key;
}

TEST(ModelOfSettings, HasPositionsInTrainingThatAreOneApart) {
  const auto build = [](const std::string& positions) {
    return plan_of(with({{"model.encoding", "rope@" + positions}})).model.positions;
  };
  EXPECT_EQ(build("contiguous(offset=1e12)"), 1'000'000'000'064);
  EXPECT_THAT(message_of<ConfigError>([&] { build("contiguous(offset=1e300)"); }),
              "positions in training reach 1e+300, expected at most 1e+15 (use a "
              "smaller offset)");
}

// A checkpoint records everything in effect, so changed defaults have no effect. `auto` and 0 would mean something else at
// another length.
TEST(TrainingMetadata, HoldsPartsWithAllTheirOptionsAsWorkedOut) {
  const std::string rope =
      ", least_turns=0, pairing=interleaved, precision=float, rotary_fraction=1, turning=1)";
  const std::string window = ", softcap=0, weights=softmax, window=0)";
  for (const auto& [key, value, expected] : std::vector<std::array<std::string, 3>>{
           {"model.encoding", "none", "none@contiguous(offset=0)"},
           {"model.encoding", "rope", "rope(base=10000" + rope + "@contiguous(offset=0)"},
           // 10 · 64 / 2π, for the training length 64
           {"model.encoding", "rope(base=auto)",
            "rope(base=101.85916357881302" + rope + "@contiguous(offset=0)"},
           // The positions of the test, if they differ.
           {"model.encoding", "t5@interpolated:interpolated",
            "t5(buckets=32, max_distance=64)@interpolated(scale=0)"},
           {"model.encoding", "rope@contiguous:ntk(scale=2)",
            "rope(base=10000" + rope + "@contiguous(offset=0):ntk(scale=2)"},
           {"train.optimizer", "adamw(beta2=0.5)",
            "adamw(beta1=0.9, beta2=0.5, epsilon=1e-08, weight_decay=0.01)"},
           {"model.norm", "layernorm", "layernorm(epsilon=1e-05)"},
           {"model.block", "attention, feed_forward",
            "attention(encoding=all, qk_norm=none" + window + ", feed_forward(activation=gelu, ff=256)"},
           // A part in a part.
           {"model.block", "attention(qk_norm=rmsnorm)",
            "attention(encoding=all, qk_norm=rmsnorm(epsilon=1e-05)" + window},
           {"model.block", "attention(qk_norm=rmsnorm(epsilon=1e-6))",
            "attention(encoding=all, qk_norm=rmsnorm(epsilon=1e-06)" + window}})
    EXPECT_EQ(plan_of(with({{key, value}})).metadata(3).at(key), expected) << value;
}

TEST(TrainingMetadata, GivesTheSameSettingsAgain) {
  for (const Values& values :
       {Values{},
        Values{{"model.encoding", "rope(base=500)@contiguous:yarn"}, {"train.schedule", "constant"}},
        Values{{"model.encoding", "learned+t5(buckets=8)"}, {"task.name", "copy(symbols=5)"}},
        Values{{"model.block", "conv(kernel=2), attention, gated_linear"}, {"model.encoding", "alibi"}},
        Values{{"model.encoding", "rope(base=auto)@randomized"}}}) {
    const Plan plan = plan_of(with(values));
    EXPECT_EQ(plan_of(read_values(plan.metadata(3), "checkpoint")).full, plan.full);
  }
}

// A text of 9,000 equal letters.
std::string text_file(const std::string& name, char letter) {
  const auto path = std::filesystem::path(::testing::TempDir()) / ("plan_test_" + name);
  std::ofstream(path) << std::string(9000, letter);
  return path.string();
}

Settings second_stage(const Values& values) {
  Settings settings = with(values);
  settings.set("finetune.steps", "30", "test");
  return plan_of(settings).second_stage();
}

TEST(FinetuneSettings, AreThoseOfTheFirstStageWithWhatFinetuneSays) {
  const Settings second = second_stage({{"finetune.length", "2x"},
                                        {"finetune.learning_rate", "1e-5"},
                                        {"train.batch", "4"},
                                        {"train.warmup", "70"}});
  EXPECT_EQ(second->train.steps, 30);
  EXPECT_EQ(second->task.train_length, 128);
  EXPECT_EQ(second->train.learning_rate, 1e-5);
  EXPECT_EQ(second->train.batch, 4);
  EXPECT_EQ(plan_of(second).full.at("train.warmup"), "30");
  EXPECT_EQ(second->finetune.steps, 0);  // there is no third stage
  EXPECT_EQ(second_stage({{"train.learning_rate", "0.5"}})->train.learning_rate, 0.5);
}

// Lengths are multiples of the first training length: 4x is the same length for all rows.
TEST(FinetuneSettings, TestAtTheSameLengths) {
  const Values lengths = {{"evaluate.lengths", "1x, 4x, 100"}, {"finetune.length", "2x"}};
  EXPECT_EQ(evaluation_lengths(second_stage(lengths)), evaluation_lengths(with(lengths)));
}

// Interpolation after Chen et al. 2023: the model knows the positions of the first stage, longer sequences
// are interpolated into their range, now in training as well as in the test.
TEST(FinetuneSettings, SqueezeLongerSequencesIntoTheRangeOfTheFirstStage) {
  const Plan second =
      plan_of(second_stage({{"model.encoding", "rope@contiguous:interpolated"}, {"finetune.length", "4x"}}));
  EXPECT_EQ(second.training_positions.name(), "interpolated");
  EXPECT_EQ(second.training_positions.train_length, 64);
  EXPECT_EQ(stretch_factor(second.training_positions, 256), 4.0);
  EXPECT_EQ(stretch_factor(second.test_positions, 512), 8.0);
}

TEST(FinetuneSettings, HaveThePositionsOfTheTestUnlessTheyNameOthers) {
  const auto positions = [](const std::string& encoding) {
    const Plan plan = plan_of(
        second_stage({{"model.encoding", "rope@contiguous:interpolated"}, {"finetune.encoding", encoding}}));
    return plan.training_positions.name() + ":" + plan.test_positions.name();
  };
  EXPECT_EQ(positions("same"), "interpolated:interpolated");
  EXPECT_EQ(positions("alibi"), "interpolated:interpolated");
  EXPECT_EQ(positions("alibi@spaced"), "spaced:spaced");
  EXPECT_EQ(positions("rope@contiguous:yarn"), "contiguous:yarn");
}

// The second stage continues from the first one's weights: they must be the same parameters.
TEST(FinetuneSettings, BuildAModelWithTheSameParameters) {
  for (const std::string& name : encodings().names()) {
    const std::map<std::string, std::string> tables = {{"learned", "learned(overflow=clamp)"},
                                                       {"tupe", "tupe(embedding=learned(overflow=clamp))"}};
    const Plan first = plan_of(with({{"model.encoding", tables.contains(name) ? tables.at(name) : name},
                                     {"finetune.length", "2x"},
                                     {"finetune.steps", "30"}}));
    const Transformer<float> before(first.model);
    const Transformer<float> after(plan_of(first.second_stage()).model);
    ASSERT_EQ(before.layout().specs().size(), after.layout().specs().size()) << name;
    for (std::size_t i = 0; i < before.layout().specs().size(); ++i) {
      EXPECT_EQ(before.layout().specs()[i].name, after.layout().specs()[i].name);
      EXPECT_EQ(before.layout().specs()[i].shape, after.layout().specs()[i].shape) << name;
    }
  }
}

TEST(FinetuneSettings, KeepWhatTheFirstStageResolved) {
  for (const std::string option : {"base", "max_distance"}) {
    const auto value = [&](const Settings& settings) {
      const PartList encoding = plan_of(settings).text(Binds::training).at("model.encoding");
      for (const auto& [part, before] : encoding.items())
        if (part.options.contains(option)) return part.options.at(option);
      return std::string();
    };
    const Settings first = with({{"model.encoding", "rope(base=auto)+t5"}, {"finetune.length", "2x"}});
    EXPECT_NE(value(first), "");
    EXPECT_EQ(value(plan_of(first).second_stage()), value(first));
  }
}

TEST(FinetuneSettings, LearnFromAnotherText) {
  const std::string first = text_file("first.txt", 'x');
  const std::string other = text_file("other.txt", 'y');
  for (const std::string& tuned : {first, other})
    EXPECT_EQ(second_stage({{"task.name", "text"}, {"task.file", first}, {"finetune.file", tuned}})
                  .text("task.file"),
              tuned);
  const Settings same = second_stage({{"task.name", "text"}, {"task.file", first}});
  EXPECT_EQ(same.text("task.file"), first);
  EXPECT_EQ(plan_of(same).metadata(1).at("task.file"), first) << "which the user reads";
}

// The last tenth of the texts of a stage is for validation.
TEST(FinetuneSettings, RefuseATextThatTheFirstStageCutsElsewhere) {
  const std::string a = text_file("a.txt", 'a');
  const std::string b = text_file("b.txt", 'b');
  const std::string copy = text_file("copy.txt", 'a');
  const auto refused = [](const std::string& first, const std::string& second, const std::string& shared,
                          const std::string& there) {
    EXPECT_EQ(message_of<ConfigError>([&] {
                second_stage({{"task.name", "text"}, {"task.file", first}, {"finetune.file", second}});
              }),
              "finetune.file = " + shared + ": it is the same text as task.file = " + there +
                  ": its bytes would be in the training of one stage and the validation of the other (give "
                  "this stage other texts, or all files of task.file in their order)");
  };
  refused(a + "\n" + b, a, a, a);
  refused(a, b + "\n" + a, a, a);
  refused(b + "\n" + a, a + "\n" + b, b, b);
  refused(a, copy + "\n" + b, copy, a);
}

}  // namespace
}  // namespace ordinal::experiments
