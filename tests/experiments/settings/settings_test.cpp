#include "experiments/settings/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/settings/config_file.h"
#include "framework/core/errors.h"

namespace ordinal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

Settings with(const std::string& key, const std::string& value) {
  Settings settings;
  settings.set(key, value, "test");
  return settings;
}

TEST(Keys, EveryDefaultIsAValueThatItsKeyMayHave) {
  for (const Key& key : all_keys()) EXPECT_EQ(complaint(key, key.fallback), "") << key.name;
  EXPECT_THAT(contradictions(Settings(), "positional.encodings"), IsEmpty());
}

TEST(Settings, TheResolvedConfigGivesTheSameSettingsAgain) {
  Settings settings;
  settings.set("train.learning_rate", "0.00012345678901234567", "test");
  settings.set("task.file", "a b.txt\nc.txt", "test");
  settings.set("positional.encodings", "sinusoidal, none", "test");
  settings.set("generate.prompt", "To be, or not", "test");
  std::vector<std::string> problems;
  Settings again;
  std::string files;
  for (const ConfigEntry& entry : read_config_text(settings.resolved_config(), "resolved.cfg", problems)) {
    if (entry.key == "task.file") files += (files.empty() ? "" : "\n") + entry.value;
    again.set(entry.key, entry.key == "task.file" ? files : entry.value, entry.origin);
  }
  EXPECT_THAT(problems, IsEmpty());
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
  for (const std::string wrong : {"0", "-1", "x", "1,1", "", ","}) {
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

TEST(PositionalBase, IsANumberOrChosenForTheTrainingLength) {
  EXPECT_EQ(positional_base(with("positional.base", "500")), 500.0);
  EXPECT_NEAR(positional_base(with("positional.base", "auto")), 10.0 * 64.0 / (2.0 * 3.14159265358979), 1e-9);
  for (const std::string wrong : {"1", "0", "-5", "many"}) {
    EXPECT_THROW(positional_base(with("positional.base", wrong)), ConfigError) << wrong;
  }
}

TEST(Contradictions, AreFoundForTheEncodingsThatAProgramBuilds) {
  Settings odd = with("model.d_model", "9");
  odd.set("model.heads", "3", "test");
  EXPECT_THAT(contradictions(odd, "positional.encoding"),
              ElementsAre(HasSubstr("sinusoidal needs an even width")));
  EXPECT_THAT(contradictions(odd, ""), IsEmpty());
  odd.set("positional.encoding", "none+sinusoidal", "test");
  EXPECT_THAT(contradictions(odd, "positional.encoding"),
              ElementsAre(HasSubstr("sinusoidal needs an even width")));
  odd.set("positional.pad_odd", "true", "test");
  EXPECT_THAT(contradictions(odd, "positional.encoding"), IsEmpty());
}

TEST(Contradictions, IncludeWhatAnEncodingCannotBe) {
  EXPECT_THAT(contradictions(with("model.causal", "false"), "positional.encoding"), IsEmpty());
  Settings cope = with("model.causal", "false");
  cope.set("positional.encodings", "rope, cope", "test");
  cope.set("positional.rotary_fraction", "0.2", "test");
  EXPECT_THAT(contradictions(cope, "positional.encodings"),
              ElementsAre(HasSubstr("cope"), HasSubstr("expected an even number of at least 2")));
}

TEST(Contradictions, IncludePositionsThatNoEncodingHeeds) {
  const auto of = [](const std::string& key, const std::string& value, const std::string& entries) {
    Settings settings = with(key, value);
    settings.set("positional.encodings", entries, "test");
    return contradictions(settings, "positional.encodings");
  };
  const auto nothing = [](const std::string& key) {
    return ElementsAre(HasSubstr(key + " would change nothing"));
  };
  EXPECT_THAT(of("positional.offset", "5", "none"), nothing("positional.offset = 5"));
  EXPECT_THAT(of("positional.offset", "5", "rope@yarn, none"), nothing("positional.offset = 5"));
  EXPECT_THAT(of("positional.offset", "5", "none, rope"), IsEmpty());
  EXPECT_THAT(of("positional.scale", "2", "rope@randomized"), nothing("positional.scale = 2"));
  EXPECT_THAT(of("positional.scale", "2", "rope@dynamic_ntk"), nothing("positional.scale = 2"));
  EXPECT_THAT(of("positional.scale", "2", "none, rope@contiguous:ntk"), IsEmpty());
}

TEST(Contradictions, OfEachKind) {
  EXPECT_THAT(contradictions(with("model.heads", "5"), ""),
              ElementsAre(HasSubstr("not divisible by model.heads = 5")));
  EXPECT_THAT(contradictions(with("model.n_kv_heads", "3"), ""),
              ElementsAre(HasSubstr("model.n_kv_heads = 3")));
  EXPECT_THAT(contradictions(with("train.shards", "6"), ""),
              ElementsAre(HasSubstr("expected a power of two")));
  EXPECT_THAT(contradictions(with("train.shards", "64"), ""),
              ElementsAre(HasSubstr("exceeds train.batch = 32")));
  EXPECT_THAT(contradictions(with("train.warmup", "2000"), ""),
              ElementsAre(HasSubstr("exceeds train.steps")));
  EXPECT_THAT(contradictions(with("task.name", "text"), ""), ElementsAre(HasSubstr("set task.file")));
  EXPECT_THAT(contradictions(with("experiment.name", "../up"), ""),
              ElementsAre(HasSubstr("experiment.name")));
  Settings yarn = with("positional.yarn_beta", "1");
  EXPECT_THAT(contradictions(yarn, ""),
              ElementsAre(HasSubstr("positional.yarn_alpha = 1 is not below positional.yarn_beta = 1")));
  EXPECT_THAT(contradictions(with("positional.encodings", "none, none"), "positional.encodings"),
              ElementsAre(HasSubstr("none is there more than once")));
  EXPECT_THAT(contradictions(with("positional.encodings", "sinus"), "positional.encodings"),
              ElementsAre(HasSubstr("got 'sinus', expected one of none, sinusoidal, learned")));
}

}  // namespace
}  // namespace ordinal
