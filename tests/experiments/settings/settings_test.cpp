#include "experiments/settings/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "experiments/experiment/cell.h"
#include "experiments/settings/config_file.h"
#include "experiments/settings/plan.h"
#include "framework/core/errors.h"

namespace ordinal::experiments {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

Settings with(const std::string& key, const std::string& value) {
  Settings settings;
  settings.set(key, value, "test");
  return settings;
}

// What building all rows says; empty if they can be built.
std::string problem_of(const Settings& settings) {
  try {
    Entrants makers;
    for (const Row& row : rows_of(settings)) makers.make(row);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

std::string problem_of(const std::string& key, const std::string& value) {
  const std::string problem = complaint(*find_key(key), value);
  return problem.empty() ? problem_of(with(key, value)) : problem;
}

TEST(Keys, EveryDefaultIsAValueThatItsKeyMayHave) {
  for (const Key& key : all_keys()) {
    EXPECT_EQ(complaint(key, key.option.value), "") << key.name;
  }
  EXPECT_EQ(problem_of(Settings()), "");
}

TEST(Settings, TheResolvedConfigGivesTheSameSettingsAgain) {
  Settings settings;
  settings.set("train.learning_rate", "0.00012345678901234567", "test");
  settings.set("task.file", "a b.txt\nc.txt", "test");
  settings.set("model.encoding", "sinusoidal+alibi", "test");
  settings.set("generate.prompt", "To be, or not", "test");
  Settings again;
  std::string files;
  const Source file = read_config_text(settings.resolved_config(), "resolved.cfg");
  for (const ConfigEntry& entry : file.entries) {
    if (entry.key == "task.file") files += (files.empty() ? "" : "\n") + entry.value;
    again.set(entry.key, entry.key == "task.file" ? files : entry.value, entry.origin);
  }
  EXPECT_THAT(file.problems(), IsEmpty());
  for (const Key& key : all_keys()) EXPECT_EQ(again.text(key.name), settings.text(key.name)) << key.name;
}

TEST(Settings, FromAMapTakesKeysAndPassesOverNamesOutsideTheSections) {
  const Settings settings = Settings::from_map({{"model.heads", "8"}, {"step", "100"}}, "file");
  EXPECT_EQ(settings.integer("model.heads"), 8);
  EXPECT_EQ(settings.origin("model.heads"), "file");
  EXPECT_THAT(
      [] {
        Settings::from_map({{"model.heads", "many"}}, "file");
      },
      ThrowsMessage<ConfigError>(HasSubstr("file: model.heads: got 'many'")));
}

TEST(Settings, ANameThatIsNoKeyIsAMistakeOfTheProgram) {
  EXPECT_THROW(Settings().integer("model.head"), std::out_of_range);
}

TEST(Seeds, ANumberCountsAndAListNames) {
  EXPECT_THAT(seeds(with("experiment.seeds", "3")), ElementsAre(1U, 2U, 3U));
  EXPECT_THAT(seeds(with("experiment.seeds", "7,0, 2")), ElementsAre(7U, 0U, 2U));
  EXPECT_THAT(seeds(with("experiment.seeds", "5,")), ElementsAre(5U));
  EXPECT_THAT(seeds(with("experiment.seeds", "2..4")), ElementsAre(1U, 2U, 3U, 4U));
  EXPECT_THAT(looks(with("experiment.seeds", "5..30")), ElementsAre(5, 10, 15, 20, 30));
  EXPECT_THAT(looks(with("experiment.seeds", "3..7")), ElementsAre(3, 6, 7));
  EXPECT_THAT(looks(with("experiment.seeds", "7,0, 2")), ElementsAre(3));
  for (const std::string wrong :
       {"0", "-1", "x", "1,1", "", ",", "30..5", "5..5", "0..3", "5..", "5..1001"}) {
    EXPECT_THROW(seeds(with("experiment.seeds", wrong)), ConfigError) << wrong;
  }
}

TEST(EvaluationLengths, AreAbsoluteOrMultiplesInAscendingOrder) {
  EXPECT_THAT(evaluation_lengths(with("evaluate.lengths", "4x, 100, 1x, 1.5x, 64")),
              ElementsAre(64, 96, 100, 256));
  for (const std::string wrong : {"0", "0x", "x", "-3", "4y", "", "1e99x"}) {
    EXPECT_THROW(evaluation_lengths(with("evaluate.lengths", wrong)), ConfigError) << wrong;
  }
}

// 0.145 · 100 is 14.499999999999998 in doubles.
TEST(EvaluationLengths, AreTheNearestToAMultipleAHalfUp) {
  Settings settings = with("task.train_length", "100");
  settings.set("evaluate.lengths", "0.145x, 1.005x", "test");
  EXPECT_THAT(evaluation_lengths(settings), ElementsAre(15, 101));
}

TEST(PositionalBase, IsANumberOrChosenForTheTrainingLength) {
  for (const std::string wrong : {"1", "0", "-5", "many"}) {
    EXPECT_THAT(problem_of("model.encoding", "sinusoidal(base=" + wrong + ")"),
                AllOf(HasSubstr("sinusoidal: base: got"), HasSubstr(wrong), HasSubstr("or auto")));
  }
}

TEST(Contradictions, AreFoundWhereRowsAreBuilt) {
  Settings odd = with("model.d_model", "9");
  odd.set("model.heads", "3", "test");
  EXPECT_THAT(problem_of(odd), HasSubstr("sinusoidal: needs an even width"));
  odd.set("model.encoding", "none+sinusoidal", "test");
  EXPECT_THAT(problem_of(odd), HasSubstr("sinusoidal: needs an even width"));
  odd.set("model.encoding", "none+sinusoidal(pad_odd=true)", "test");
  EXPECT_EQ(problem_of(odd), "");
}

TEST(Contradictions, IncludeWhatAnEncodingCannotBe) {
  EXPECT_EQ(problem_of("task.name", "reverse_string"), "");
  Settings cope = with("task.name", "reverse_string");
  cope.add_to_section("compare", "", "model.encoding", "cope", "test");
  EXPECT_THAT(problem_of(cope), HasSubstr("cope"));
  EXPECT_THAT(problem_of("model.encoding", "rope(rotary_fraction=0.2)"),
              HasSubstr("expected an even number of at least 2"));
}

// A decoder that sees what it is to predict has nothing to learn, and one that cannot see the input cannot answer.
TEST(Contradictions, IncludeAModelThatSeesTooMuchOrTooLittleForItsTask) {
  for (const std::string task : {"language", "sort", "parity"}) {
    Settings settings = with("task.name", task);
    EXPECT_EQ(problem_of(settings), "") << task;
    settings.set("model.causal", "true", "test");
    EXPECT_EQ(problem_of(settings), "") << task;
    settings.set("model.causal", "false", "test");
    EXPECT_THAT(
        problem_of(settings),
        HasSubstr("model.causal = false (test), but task " + task +
                  " needs a causal model: a bidirectional one sees the answer; expected true or auto"));
  }
  Settings encoder = with("task.name", "bucket_sort(symbols=3)");
  EXPECT_EQ(problem_of(encoder), "");
  encoder.set("model.causal", "false", "test");
  EXPECT_EQ(problem_of(encoder), "");
  encoder.set("model.causal", "true", "test");
  EXPECT_THAT(problem_of(encoder),
              HasSubstr("model.causal = true (test), but task bucket_sort needs a bidirectional model"));
}

// A block without attention has no heads.
TEST(Contradictions, OfHeadsAreThoseOfAttentionAlone) {
  Settings settings = with("model.heads", "5");
  settings.set("model.n_kv_heads", "3", "test");
  settings.set("model.block", "conv, feed_forward", "test");
  EXPECT_EQ(problem_of(settings), "");
  settings.set("model.block", "conv, attention", "test");
  EXPECT_THAT(problem_of(settings), HasSubstr("d_model 64 is not divisible by heads 5"));
}

TEST(Contradictions, IncludePositionsThatNoEncodingHeeds) {
  EXPECT_THAT(problem_of("model.encoding", "none@contiguous:spaced"),
              HasSubstr("positions = spaced would change nothing: none takes no positions"));
  EXPECT_EQ(problem_of("model.encoding", "none+rope@contiguous:yarn"), "");
}

TEST(Contradictions, OfEachKind) {
  for (const auto& [key, value, problem] : std::vector<std::array<std::string, 3>>{
           {"model.n_kv_heads", "3", "heads 4 is not divisible by n_kv_heads 3"},
           {"train.shards", "6", "expected a power of two"},
           {"train.shards", "64", "exceeds train.batch = 32"},
           {"train.score_step", "2000", "exceeds train.steps"},
           {"task.name", "text", "set task.file"},
           {"experiment.name", "../up", "got '../up', expected letters"},
           {"model.encoding", "rope@yarn(yarn_beta=1)", "yarn_alpha = 1 is not below yarn_beta = 1"},
           {"model.encoding", "rope@yarn:ntk:yarn", "expected encoding@training:test"},
           {"model.encoding", "sinus", "got 'sinus', expected one of none, sinusoidal, learned"},
           {"evaluate.conditions", "trained, trained", "trained is listed more than once"},
           {"evaluate.conditions", "trained, windy", "got 'windy' (did you mean window?), expected one of"},
           {"finetune.length", "y", "finetune.length: got 'y'"}})
    EXPECT_THAT(problem_of(key, value), HasSubstr(problem)) << key << " = " << value;
  Settings same;
  same.add_to_section("compare", "", "model.encoding", "none, none", "test");
  EXPECT_THAT(problem_of(same), HasSubstr("none is listed more than once"));
}

TEST(Contradictions, NameTheirRow) {
  Settings settings;
  settings.add_to_section("row", "narrow", "model.heads", "5", "test");
  EXPECT_THAT(problem_of(settings), StartsWith("[row narrow] "));
}

}  // namespace
}  // namespace ordinal::experiments
