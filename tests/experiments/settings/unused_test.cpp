// Settings on the command line without effect: each is rejected in one line, with the key to use.
#include "experiments/settings/checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/programs/driver.h"
#include "tests/experiments/settings/command.h"

namespace ordinal::experiments {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<std::string> compared(const std::vector<std::string>& words) {
  return refusals(extrapolation_driver(), words);
}
std::vector<std::string> trained(const std::vector<std::string>& words) {
  return refusals(train_driver(), words);
}

TEST(Unused, IsAKeyThatEveryRowSetsItself) {
  EXPECT_THAT(compared({"--model.d_model=24", "--compare.model.d_model=16,32"}),
              ElementsAre("model.d_model = 24 would change nothing: every row sets it itself "
                          "(compare.model.d_model = 16, 32); leave out one of them"));
  EXPECT_THAT(compared({"--train.learning_rate=1", "--compare.tune.train.learning_rate=0.1,0.2"}),
              ElementsAre(AllOf(HasSubstr("train.learning_rate = 1 would change nothing"),
                                HasSubstr("(compare.tune.train.learning_rate = 0.1, 0.2)"))));
  const std::string rows = config("rows.cfg", "[row a]\nmodel.d_model = 16\n[row b]\nmodel.d_model = 32\n");
  EXPECT_THAT(compared({"--config", rows, "--model.d_model=24"}),
              ElementsAre(HasSubstr("every row sets it itself ([row a], [row b])")));
}

TEST(Unused, IsNoKeyThatSomeRowTakesFromAll) {
  const std::string one = config("one.cfg", "[row a]\nmodel.d_model = 16\n[row b]\n");
  EXPECT_THAT(compared({"--config", one, "--model.d_model=24"}), IsEmpty());
  const std::string beside = config("beside.cfg", "[row a]\nmodel.layers = 1\n");
  EXPECT_THAT(compared({"--config", beside, "--compare.model.d_model=16,32", "--model.d_model=24"}),
              IsEmpty());
  EXPECT_THAT(compared({"--config", beside, "--positional.encoding=rope"}), IsEmpty());
}

// A file may be shared by several programs, and its plain keys apply to rows that do not set them.
TEST(Unused, InAFileIsSilent) {
  const std::string path =
      config("file.cfg",
             "[model]\nd_model = 24\n[positional]\nbase = 500\n[compare]\nmodel.d_model = 16, 32\n"
             "positional.encoding = rope(base=100)\n[finetune]\nlength = 2x\n[train]\nseed = 7\n");
  EXPECT_THAT(compared({"--config", path}), IsEmpty());
}

TEST(Unused, IsAnOptionThatEachPartSetsInBrackets) {
  EXPECT_THAT(compared({"--positional.base=500", "--positional.encodings=rope(base=100), rope(base=200)"}),
              ElementsAre("positional.base = 500 would change nothing: it is set in rope(base=100) and in "
                          "rope(base=200); leave out one of them"));
  EXPECT_THAT(compared({"--positional.base=500", "--positional.encodings=rope(base=100), sinusoidal"}),
              IsEmpty());
  EXPECT_THAT(trained({"--positional.base=500", "--positional.encoding=rope(base=100)"}),
              ElementsAre(HasSubstr("it is set in rope(base=100)")));
  EXPECT_THAT(trained({"--train.beta2=0.5", "--train.optimizer=adamw(beta2=0.9)"}),
              ElementsAre(HasSubstr("it is set in adamw(beta2=0.9)")));
  EXPECT_THAT(compared({"--evaluate.size=32", "--evaluate.conditions=trained, window(size=64)"}),
              ElementsAre(HasSubstr("it is set in window(size=64)")));
}

TEST(Unused, ArePositionsIfEachEncodingSaysItsOwn) {
  EXPECT_THAT(
      compared({"--positional.positions=interpolated", "--positional.encodings=rope@yarn, alibi@spaced"}),
      ElementsAre(HasSubstr("it is set in alibi@spaced and in rope@yarn")));
  EXPECT_THAT(compared({"--positional.positions=interpolated", "--positional.encodings=rope@yarn, alibi"}),
              IsEmpty());
}

TEST(Unused, IsAComparisonOfAnOptionThatNoRowHas) {
  EXPECT_THAT(
      compared({"--compare.positional.base=100,200", "--positional.encoding=alibi"}),
      ElementsAre(HasSubstr("compare.positional.base = 100, 200 would change nothing: it is an option")));
  EXPECT_THAT(
      compared({"--compare.positional.base=100,200", "--positional.encoding=rope(base=5)"}),
      ElementsAre(HasSubstr("compare.positional.base = 100, 200 would change nothing: it is set in")));
  EXPECT_THAT(compared({"--compare.positional.base=100,200", "--positional.encoding=rope"}), IsEmpty());
}

TEST(Unused, IsTheEncodingOfASingleModelWhereEncodingsAreCompared) {
  EXPECT_THAT(compared({"--positional.encoding=rope"}),
              ElementsAre("positional.encoding = rope would change nothing: every row sets it itself "
                          "(positional.encodings = sinusoidal, learned, none); did you mean "
                          "--positional.encodings='rope'?"));
  EXPECT_THAT(compared({"--positional.encoding=rope", "--compare.model.d_model=16,32"}), IsEmpty());
}

TEST(Unused, AreSettingsOfAStageOrAChoiceThatNoRowHas) {
  EXPECT_THAT(compared({"--finetune.length=2x"}),
              ElementsAre("finetune.length = 2x would change nothing: no row has finetune.steps above 0"));
  EXPECT_THAT(compared({"--finetune.length=2x", "--finetune.steps=5"}), IsEmpty());
  EXPECT_THAT(compared({"--compare.finetune.length=1x,2x"}),
              ElementsAre("compare.finetune.length = 1x, 2x would change nothing: no row has finetune.steps "
                          "above 0"));
  EXPECT_THAT(compared({"--experiment.tune_seed=7"}),
              ElementsAre("experiment.tune_seed = 7 would change nothing: no compare.tune.… is set"));
}

struct Misplaced {
  DriverDescription driver;
  std::string word;
  std::string meant;
};

// Keys that each program does not read, on the command line, with the key that it reads instead.
TEST(Unread, NamesTheKeyOfThisProgram) {
  for (const auto& [driver, word, meant] : std::vector<Misplaced>{
           {train_driver(), "positional.encodings=alibi", "did you mean --positional.encoding=alibi?"},
           {train_driver(), "experiment.seeds=3", "did you mean --train.seed=3?"},
           {train_driver(), "experiment.seed=3", "did you mean --train.seed=3?"},
           {train_driver(), "finetune.steps=3", "did you mean --train.steps=3?"},
           {train_driver(), "compare.model.d_model=8,16", "see train --help"},
           {train_driver(), "generate.length=3", "see train --help"},
           {extrapolation_driver(), "train.seed=3", "did you mean --experiment.seed=3?"},
           {extrapolation_driver(), "encoding.name=rope", "did you mean --positional.encodings=rope?"},
           {generate_driver(), "train.steps=7", "see generate --help"},
           {generate_driver(), "task.train_length=7", "did you mean --generate.length=7?"},
           {generate_driver(), "train.seed=7", "did you mean --generate.seed=7?"},
           {generate_driver(), "model.dropout=0.5", "see generate --help"},
           {generate_driver(), "positional.dropout=0.5", "see generate --help"},
           {generate_driver(), "positional.encodings=rope", "did you mean --positional.encoding=rope?"},
           {encoding_driver(), "positional.encoding=rope", "did you mean --encoding.name=rope?"},
           {encoding_driver(), "positional.encodings=rope", "did you mean --encoding.name=rope?"},
           {encoding_driver(), "positional.dropout=0.5", "see encoding --help"},
           {encoding_driver(), "model.heads=2", "did you mean --encoding.heads=2?"},
           {encoding_driver(), "task.train_length=9", "did you mean --encoding.seq_len=9?"},
           {encoding_driver(), "task.name=copy", "see encoding --help"},
           {encoding_driver(), "evaluate.batch=2", "see encoding --help"}}) {
    const std::string key = word.substr(0, word.find('='));
    const auto problems = refusals(driver, {"--" + word});
    ASSERT_FALSE(problems.empty()) << driver.name << " --" << word;
    EXPECT_EQ(problems[0], "command line: " + key + ": " + driver.name + " does not read it (" + meant + ")");
  }
}

// So --help does not offer it either.
TEST(Unread, IsNotInTheHelpOfTheProgram) {
  for (const DriverDescription& driver :
       {train_driver(), extrapolation_driver(), generate_driver(), encoding_driver()}) {
    for (const std::string& key : driver.unread) {
      EXPECT_EQ(help_text(driver).find("--" + key + " "), std::string::npos) << driver.name << " " << key;
      EXPECT_NE(find_key(key), nullptr) << key;
    }
    for (const auto& [key, other] : driver.instead) {
      EXPECT_NE(find_key(key), nullptr) << key;
      EXPECT_NE(help_text(driver).find("--" + other + " "), std::string::npos) << driver.name << " " << other;
    }
  }
}

TEST(Unread, IsNoKeyInTheHelpOfTheProgram) {
  for (const DriverDescription& driver :
       {extrapolation_driver(), claims_driver(), train_driver(), evaluate_driver(), generate_driver(),
        encoding_driver(), parity_driver()}) {
    Index shown = 0;
    for (const Key& key : all_keys()) {
      if (help_text(driver).find("--" + key.name + " ") == std::string::npos) continue;
      ++shown;
      EXPECT_THAT(refusals(driver, {"--" + key.name + "=" + key.option.value}),
                  Each(Not(HasSubstr("does not read it"))));
    }
    EXPECT_GT(shown, 2) << driver.name;
  }
}

TEST(SameTarget, TwoSpellingsInOneSourceAreRefused) {
  EXPECT_THAT(compared({"--positional.encodings=rope,none", "--compare.positional.encoding=alibi"}),
              ElementsAre("command line: compare.positional.encoding: positional.encodings sets the same, "
                          "use only one of them"));
  EXPECT_THAT(
      compared({"--experiment.seed=5", "--experiment.seeds=5"}),
      ElementsAre(HasSubstr("experiment.seeds: experiment.seed sets the same, use only one of them")));
  const std::string encodings =
      config("encodings.cfg", "[compare]\npositional.encoding = alibi\n[positional]\nencodings = rope\n");
  EXPECT_THAT(compared({"--config", encodings}),
              ElementsAre(encodings + ":4: positional.encodings: compare.positional.encoding (line 2) sets "
                                      "the same, use only one of them"));
  const std::string seeds = config("seeds.cfg", "[experiment]\nseeds = 3\nseed = 5\n");
  EXPECT_THAT(
      compared({"--config", seeds}),
      ElementsAre(seeds +
                  ":3: experiment.seed: experiment.seeds (line 2) sets the same, use only one of them"));
}

Settings settings_of(const std::vector<std::string>& words) {
  return parsed(extrapolation_driver(), words).settings;
}
std::vector<std::uint64_t> seeds_of(const std::vector<std::string>& words) {
  return seeds(settings_of(words));
}

TEST(SeedSettings, AreACountOrAListOrOneAlone) {
  EXPECT_THAT(seeds_of({"--experiment.seeds=3"}), ElementsAre(1, 2, 3));
  EXPECT_THAT(seeds_of({"--experiment.seeds=5,"}), ElementsAre(5));
  EXPECT_THAT(seeds_of({"--experiment.seeds=5,7"}), ElementsAre(5, 7));
  EXPECT_THAT(seeds_of({"--experiment.seed=5"}), ElementsAre(5));
  EXPECT_THAT(seeds_of({"--experiment.seed=0"}), ElementsAre(0));
  EXPECT_THAT(seeds_of({"--experiment.seed=none"}), ElementsAre(1, 2, 3));
}

TEST(SeedSettings, OfALaterSourceWinHoweverTheyAreSpelled) {
  const std::string one = config("one_seed.cfg", "[experiment]\nseed = 5\n");
  const std::string several = config("several_seeds.cfg", "[experiment]\nseeds = 2\n");
  EXPECT_THAT(seeds_of({"--config", one}), ElementsAre(5));
  EXPECT_THAT(seeds_of({"--config", one, "--experiment.seeds=2"}), ElementsAre(1, 2));
  EXPECT_THAT(seeds_of({"--config", several, "--experiment.seed=5"}), ElementsAre(5));
  EXPECT_THAT(seeds_of({"--config", several, "--config", one}), ElementsAre(5));
}

TEST(SeedSettings, ThatAreWrittenDownAreReadAgain) {
  const std::string resolved = settings_of({"--experiment.seed=5"}).resolved_config();
  EXPECT_THAT(resolved, AllOf(HasSubstr("\nseed = 5\n"), ::testing::Not(HasSubstr("\nseeds"))));
  EXPECT_THAT(seeds_of({"--config", config("resolved_seed.cfg", resolved)}), ElementsAre(5));
  const std::string several = settings_of({"--experiment.seeds=5,7"}).resolved_config();
  EXPECT_THAT(seeds_of({"--config", config("resolved_seeds.cfg", several)}), ElementsAre(5, 7));
}

TEST(SeedSettings, ThatAreWrongAreToldOfTheOtherSpelling) {
  EXPECT_THAT(compared({"--experiment.seeds=x"}),
              ElementsAre(HasSubstr("(for a single seed: experiment.seed = 7)")));
  EXPECT_THAT(compared({"--experiment.seed=x"}),
              ElementsAre(HasSubstr("experiment.seed: got 'x', expected a")));
}

}  // namespace
}  // namespace ordinal::experiments
