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

// An option of several parts may have a different default in each.
TEST(Keys, EveryDefaultIsAValueThatItsKeyMayHave) {
  for (const Key& key : all_keys()) {
    if (!key.is_option()) {
      EXPECT_EQ(complaint(key, key.option.value), "") << key.name;
    }
    for (const OptionSpec& spec : key.variants) EXPECT_EQ(complaint(spec, spec.value), "") << key.name;
  }
  for (const Builds builds : {Builds::nothing, Builds::model, Builds::rows, Builds::drawing}) {
    EXPECT_THAT(problems_of(Settings(), builds), IsEmpty());
  }
}

TEST(Settings, TheResolvedConfigGivesTheSameSettingsAgain) {
  Settings settings;
  settings.set("train.learning_rate", "0.00012345678901234567", "test");
  settings.set("task.file", "a b.txt\nc.txt", "test");
  settings.set("positional.encodings", "sinusoidal, none", "test");
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

TEST(Settings, FromAMapTakesKeysAndPassesOverTheRest) {
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
  EXPECT_EQ(positional_choice(with("positional.base", "500")).encoding, "sinusoidal(base=500)");
  EXPECT_EQ(positional_choice(with("positional.base", "auto")).encoding, "sinusoidal(base=auto)");
  for (const std::string wrong : {"1", "0", "-5", "many"}) {
    EXPECT_NE(complaint(*find_key("positional.base"), wrong), "") << wrong;
    EXPECT_THAT(
        problems_of(with("positional.encoding", "sinusoidal(base=" + wrong + ")")),
        ElementsAre(AllOf(HasSubstr("sinusoidal: base: got"), HasSubstr(wrong), HasSubstr("or auto"))));
  }
}

TEST(Contradictions, AreFoundForTheEncodingsThatAProgramBuilds) {
  Settings odd = with("model.d_model", "9");
  odd.set("model.heads", "3", "test");
  EXPECT_THAT(problems_of(odd), ElementsAre(HasSubstr("sinusoidal: needs an even width")));
  EXPECT_THAT(problems_of(odd, Builds::nothing), IsEmpty());
  odd.set("positional.encoding", "none+sinusoidal", "test");
  EXPECT_THAT(problems_of(odd), ElementsAre(HasSubstr("sinusoidal: needs an even width")));
  odd.set("positional.pad_odd", "true", "test");
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
  cope.set("positional.encodings", "rope, cope", "test");
  cope.set("positional.rotary_fraction", "0.2", "test");
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

// On the command line, which is for this run. A config file may be shared by several.
TEST(Contradictions, IncludePositionsThatNoEncodingHeeds) {
  const auto of = [](const std::string& key, const std::string& value, const std::string& entries) {
    Settings settings;
    settings.set(key, value, "command line");
    settings.set("positional.encodings", entries, "test");
    return problems_of(settings, Builds::rows);
  };
  const auto nothing = [](const std::string& key) {
    return ElementsAre(HasSubstr(key + " would change nothing"));
  };
  EXPECT_THAT(of("positional.offset", "5", "none"), nothing("positional.offset = 5"));
  EXPECT_THAT(of("positional.offset", "5", "rope@yarn, none"), nothing("positional.offset = 5"));
  EXPECT_THAT(of("positional.offset", "5", "rope@contiguous:yarn"), nothing("positional.offset = 5"));
  EXPECT_THAT(of("positional.offset", "5", "none, rope"), IsEmpty());
  EXPECT_THAT(of("positional.offset", "5", "rope@yarn:contiguous"), IsEmpty());
  EXPECT_THAT(of("positional.scale", "2", "rope@randomized"), nothing("positional.scale = 2"));
  EXPECT_THAT(of("positional.scale", "2", "rope@dynamic_ntk"), nothing("positional.scale = 2"));
  EXPECT_THAT(of("positional.scale", "2", "none, rope@contiguous:ntk"), IsEmpty());
}

TEST(Contradictions, IncludeOptionsOnTheCommandLineThatNoPartInUseHas) {
  const auto of = [](const std::string& key, const std::string& value, const std::string& origin) {
    Settings settings = with("positional.encoding", "rope");
    settings.set(key, value, origin);
    return problems_of(settings);
  };
  EXPECT_THAT(of("positional.buckets", "8", "command line"),
              ElementsAre("positional.buckets = 8 would change nothing: it is an option of t5, and none of "
                          "them is in use"));
  EXPECT_THAT(of("positional.buckets", "8", "a.cfg:3"), IsEmpty());
  EXPECT_THAT(of("positional.base", "500", "command line"), IsEmpty());
  EXPECT_THAT(of("model.kernel", "5", "command line"),
              ElementsAre(HasSubstr("model.kernel = 5 would change")));
  EXPECT_THAT(of("model.activation", "relu", "command line"), IsEmpty());
  EXPECT_THAT(of("train.momentum", "0.5", "command line"), ElementsAre(HasSubstr("it is an option of sgd")));
  EXPECT_THAT(of("train.beta2", "0.5", "command line"), IsEmpty());
  EXPECT_THAT(of("task.symbols", "5", "command line"), ElementsAre(HasSubstr("an option of copy, reverse")));
  EXPECT_THAT(of("evaluate.k", "5", "command line"), ElementsAre(HasSubstr("it is an option of last")));
}

// One row that has it is enough.
TEST(Contradictions, AnOptionIsInUseIfARowHasIt) {
  Settings settings = with("positional.encodings", "rope, t5");
  settings.set("positional.buckets", "8", "command line");
  EXPECT_THAT(problems_of(settings, Builds::rows), IsEmpty());
  settings.set("positional.encodings", "rope, alibi", "test");
  EXPECT_THAT(problems_of(settings, Builds::rows), ElementsAre(HasSubstr("positional.buckets = 8")));
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
  Settings yarn = with("positional.yarn_beta", "1");
  yarn.set("positional.encoding", "rope@yarn", "test");
  EXPECT_THAT(problems_of(yarn), ElementsAre(HasSubstr("yarn_alpha = 1 is not below yarn_beta = 1")));
  EXPECT_THAT(problems_of(with("positional.encodings", "none, none"), Builds::rows),
              ElementsAre(HasSubstr("none is listed more than once")));
  EXPECT_THAT(problems_of(with("positional.encodings", "sinus"), Builds::rows),
              ElementsAre(HasSubstr("got 'sinus', expected one of none, sinusoidal, learned")));
  EXPECT_THAT(problems_of(with("positional.encoding", "rope@yarn:ntk:yarn")),
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
