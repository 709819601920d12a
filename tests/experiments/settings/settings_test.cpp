#include "experiments/settings/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/settings/checks.h"
#include "experiments/settings/config_file.h"
#include "experiments/settings/plan.h"
#include "framework/core/errors.h"

namespace ordinal::experiments {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;
using ::testing::UnorderedElementsAre;

Settings with(const std::string& key, const std::string& value) {
  Settings settings;
  settings.set(key, value, "test");
  return settings;
}

std::vector<std::string> problems_of(const Settings& settings, Builds builds = Builds::model) {
  const std::vector<std::string> found = contradictions(settings, builds);
  return found.empty() ? unused_settings(settings, builds) : found;
}

TEST(Keys, EveryDefaultIsAValueThatItsKeyMayHave) {
  for (const Key& key : all_keys()) {
    EXPECT_EQ(complaint(key, key.option.value), "") << key.name;
  }
  for (const Builds builds : {Builds::nothing, Builds::model, Builds::rows, Builds::drawing}) {
    EXPECT_THAT(problems_of(Settings(), builds), IsEmpty());
  }
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
    EXPECT_NE(complaint(*find_key("model.encoding"), "sinusoidal(base=" + wrong + ")"), "") << wrong;
    EXPECT_THAT(
        problems_of(with("model.encoding", "sinusoidal(base=" + wrong + ")")),
        ElementsAre(AllOf(HasSubstr("sinusoidal: base: got"), HasSubstr(wrong), HasSubstr("or auto"))));
  }
}

TEST(Contradictions, AreFoundForTheEncodingsThatAProgramBuilds) {
  Settings odd = with("model.d_model", "9");
  odd.set("model.heads", "3", "test");
  EXPECT_THAT(problems_of(odd), ElementsAre(HasSubstr("sinusoidal: needs an even width")));
  EXPECT_THAT(problems_of(odd, Builds::nothing), IsEmpty());
  odd.set("model.encoding", "none+sinusoidal", "test");
  EXPECT_THAT(problems_of(odd), ElementsAre(HasSubstr("sinusoidal: needs an even width")));
  odd.set("model.encoding", "none+sinusoidal(pad_odd=true)", "test");
  EXPECT_THAT(problems_of(odd), IsEmpty());
}

TEST(Contradictions, OfADrawingAreThoseOfItsOwnSizes) {
  Settings odd = with("encoding.d_model", "9");
  EXPECT_THAT(problems_of(odd, Builds::drawing),
              ElementsAre(HasSubstr("encoding.d_model = 9 is not divisible by encoding.heads = 4")));
  odd.set("encoding.heads", "3", "test");
  EXPECT_THAT(problems_of(odd, Builds::drawing), ElementsAre(HasSubstr("sinusoidal: needs an even width")));
  odd.set("encoding.name", "sinusoidal(pad_odd=true)", "test");
  EXPECT_THAT(problems_of(odd, Builds::drawing), IsEmpty());
}

TEST(Contradictions, IncludeWhatAnEncodingCannotBe) {
  EXPECT_THAT(problems_of(with("task.name", "reverse_string")), IsEmpty());
  Settings cope = with("task.name", "reverse_string");
  cope.add_to_section("compare", "", "model.encoding", "rope(rotary_fraction=0.2), cope", "test");
  EXPECT_THAT(problems_of(cope, Builds::rows),
              UnorderedElementsAre(HasSubstr("cope"), HasSubstr("expected an even number of at least 2")));
}

// A decoder that sees what it is to predict has nothing to learn, and one that cannot see the input cannot answer.
TEST(Contradictions, IncludeAModelThatSeesTooMuchOrTooLittleForItsTask) {
  for (const std::string task : {"text", "language", "sort", "parity"}) {
    Settings settings = with("task.name", task);
    settings.set("task.file", "tokens.txt", "test");
    EXPECT_THAT(problems_of(settings), IsEmpty()) << task;
    settings.set("model.causal", "true", "test");
    EXPECT_THAT(problems_of(settings), IsEmpty()) << task;
    settings.set("model.causal", "false", "test");
    EXPECT_THAT(
        problems_of(settings),
        ElementsAre("model.causal = false (test), but task " + task +
                    " needs a causal model: a bidirectional one sees the answer; expected true or auto"));
  }
  Settings encoder = with("task.name", "bucket_sort(symbols=3)");
  EXPECT_THAT(problems_of(encoder), IsEmpty());
  encoder.set("model.causal", "false", "test");
  EXPECT_THAT(problems_of(encoder), IsEmpty());
  encoder.set("model.causal", "true", "test");
  EXPECT_THAT(
      problems_of(encoder),
      ElementsAre(HasSubstr("model.causal = true (test), but task bucket_sort needs a bidirectional model")));
}

// A block without attention has no heads.
TEST(Contradictions, OfHeadsAreThoseOfAttentionAlone) {
  Settings settings = with("model.heads", "5");
  settings.set("model.n_kv_heads", "3", "test");
  settings.set("model.block", "conv, feed_forward", "test");
  EXPECT_THAT(problems_of(settings), IsEmpty());
  settings.set("model.block", "conv, attention", "test");
  EXPECT_THAT(problems_of(settings), SizeIs(2));
}

TEST(Contradictions, IncludePositionsThatNoEncodingHeeds) {
  EXPECT_THAT(problems_of(with("model.encoding", "none@contiguous:spaced")),
              ElementsAre("positions = spaced would change nothing: none takes no positions"));
  EXPECT_THAT(problems_of(with("model.encoding", "none+rope@contiguous:yarn")), IsEmpty());
}

TEST(Contradictions, OfEachKind) {
  EXPECT_THAT(problems_of(with("model.heads", "5")),
              ElementsAre(HasSubstr("not divisible by model.heads = 5")));
  EXPECT_THAT(problems_of(with("model.n_kv_heads", "3")), ElementsAre(HasSubstr("model.n_kv_heads = 3")));
  EXPECT_THAT(problems_of(with("train.shards", "6")), ElementsAre(HasSubstr("expected a power of two")));
  EXPECT_THAT(problems_of(with("train.shards", "64")), ElementsAre(HasSubstr("exceeds train.batch = 32")));
  EXPECT_THAT(problems_of(with("train.warmup", "2000")), ElementsAre(HasSubstr("exceeds train.steps")));
  EXPECT_THAT(problems_of(with("task.name", "text")), ElementsAre(HasSubstr("set task.file")));
  EXPECT_THAT(problems_of(with("experiment.name", "../up"), Builds::nothing),
              ElementsAre(HasSubstr("experiment.name")));
  EXPECT_THAT(problems_of(with("model.encoding", "rope@yarn(yarn_beta=1)")),
              ElementsAre(HasSubstr("yarn_alpha = 1 is not below yarn_beta = 1")));
  const auto compared = [](const std::string& encodings) {
    Settings settings;
    settings.add_to_section("compare", "", "model.encoding", encodings, "test");
    return problems_of(settings, Builds::rows);
  };
  EXPECT_THAT(compared("none, none"), ElementsAre(HasSubstr("none is listed more than once")));
  EXPECT_THAT(compared("sinus"),
              ElementsAre(HasSubstr("got 'sinus', expected one of none, sinusoidal, learned")));
  EXPECT_THAT(problems_of(with("model.encoding", "rope@yarn:ntk:yarn")),
              ElementsAre(HasSubstr("expected encoding@training:test")));
  EXPECT_THAT(
      problems_of(with("evaluate.conditions", "trained, windy"), Builds::nothing),
      ElementsAre(HasSubstr(
          "got 'windy' (did you mean window?), expected one of trained, shifted, window, log_n, last")));
  EXPECT_THAT(problems_of(with("finetune.length", "y")), ElementsAre(HasSubstr("finetune.length: got 'y'")));
}

// An error in an explicit row names the row.
TEST(Contradictions, OfAWrittenRowNameIt) {
  Settings settings;
  settings.add_to_section("row", "narrow", "model.heads", "5", "test");
  EXPECT_THAT(problems_of(settings, Builds::rows), ElementsAre(HasSubstr("[row narrow] model.d_model = 64")));
}

}  // namespace
}  // namespace ordinal::experiments
