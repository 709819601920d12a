// Settings on the command line without effect: each is rejected in one line, with the key to use.
#include "experiments/settings/checks.h"

#include <fmt/format.h>
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
                          "(compare.model.d_model = 16, 32); did you mean --compare.model.d_model=24?"));
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
  EXPECT_THAT(compared({"--config", beside, "--model.encoding=rope"}), IsEmpty());
}

// A file may be shared by several programs, and its plain keys apply to rows that do not set them.
TEST(Unused, InAFileIsSilent) {
  const std::string path = config("file.cfg",
                                  "[model]\nd_model = 24\n[compare]\nmodel.d_model = 16, "
                                  "32\n[finetune]\nlength = 2x\n[train]\nseed = 7\n");
  EXPECT_THAT(compared({"--config", path}), IsEmpty());
}

// The row of an experiment that compares nothing is of this encoding.
TEST(Unused, IsNoEncodingIfNothingIsCompared) {
  EXPECT_THAT(compared({"--model.encoding=rope"}), IsEmpty());
  EXPECT_THAT(compared({"--model.encoding=rope", "--compare.model.d_model=16,32"}), IsEmpty());
  EXPECT_THAT(compared({"--model.encoding=rope(base=5)", "--compare.model.encoding=t5,none"}),
              ElementsAre("model.encoding = rope(base=5) would change nothing: every row sets it itself "
                          "(compare.model.encoding = t5, none); did you mean "
                          "--compare.model.encoding='rope(base=5)'?"));
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

TEST(Unused, IsAnExchangeWithoutACheckpoint) {
  EXPECT_THAT(
      trained({"--finetune.encoding=alibi"}),
      ElementsAre("finetune.encoding = alibi would change nothing: it needs a checkpoint: --model FILE"));
}

// Keys on the command line that a program does not read.
TEST(Unread, IsAKeyOfAnotherProgram) {
  for (const auto& [driver, words] : std::vector<std::pair<DriverDescription, std::vector<std::string>>>{
           {train_driver(),
            {"experiment.seeds=3", "finetune.steps=3", "compare.model.d_model=8,16", "generate.length=3"}},
           {extrapolation_driver(), {"train.seed=3", "encoding.name=rope"}},
           {generate_driver(),
            {"train.steps=7", "task.train_length=7", "train.seed=7", "model.dropout=0.5",
             "model.positional_dropout=0.5"}},
           {encoding_driver(),
            {"model.encoding=rope", "model.positional_dropout=0.5", "model.heads=2", "task.train_length=9",
             "task.name=copy", "evaluate.batch=2"}}}) {
    for (const std::string& word : words) {
      const std::string key = word.substr(0, word.find('='));
      EXPECT_THAT(refusals(driver, {"--" + word}),
                  ElementsAre(fmt::format("command line: {0}: {1} does not read it (see {1} --help)", key,
                                          driver.name)));
    }
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
    EXPECT_GT(shown, 1) << driver.name;
  }
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
}

TEST(SeedSettings, OfALaterSourceWin) {
  const std::string one = config("one_seed.cfg", "[experiment]\nseeds = 5,\n");
  EXPECT_THAT(seeds_of({"--config", one}), ElementsAre(5));
  EXPECT_THAT(seeds_of({"--config", one, "--experiment.seeds=2"}), ElementsAre(1, 2));
}

TEST(SeedSettings, ThatAreWrittenDownAreReadAgain) {
  const std::string resolved = settings_of({"--experiment.seeds=5,"}).resolved_config();
  EXPECT_THAT(seeds_of({"--config", config("resolved_seed.cfg", resolved)}), ElementsAre(5));
  const std::string several = settings_of({"--experiment.seeds=5,7"}).resolved_config();
  EXPECT_THAT(seeds_of({"--config", config("resolved_seeds.cfg", several)}), ElementsAre(5, 7));
}

TEST(SeedSettings, ThatAreWrongAreToldOfEachForm) {
  EXPECT_THAT([] { seeds(settings_of({"--experiment.seeds=x"})); },
              ::testing::ThrowsMessage<ConfigError>(HasSubstr("(for the single seed 7: 7,)")));
  EXPECT_THAT(
      compared({"--experiment.seed=7"}),
      ElementsAre(
          "command line: unknown option --experiment.seed: write experiment.seeds = 7, with a comma"));
}

}  // namespace
}  // namespace ordinal::experiments
