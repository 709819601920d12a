// Settings on the command line without effect: each is rejected in one line, with the key to use.
#include "experiments/settings/checks.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/programs/driver.h"
#include "tests/experiments/settings/command.h"

namespace ordinal::experiments {
namespace {

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

TEST(Unused, IsWhatEveryRowSetsItselfOrNoRowHas) {
  const std::string rows = config("rows.cfg", "[row a]\nmodel.d_model = 16\n[row b]\nmodel.d_model = 32\n");
  for (const auto& [words, line] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"--model.d_model=24", "--compare.model.d_model=16,32"},
            "model.d_model = 24 would change nothing: every row sets it itself; leave it out, or set "
            "compare.model.d_model"},
           {{"--train.learning_rate=1", "--compare.tune.train.learning_rate=0.1,0.2"},
            "train.learning_rate = 1 would change nothing: every row sets it itself; leave it out, or set "
            "compare.train.learning_rate"},
           {{"--config", rows, "--model.d_model=24"},
            "model.d_model = 24 would change nothing: every row sets it itself; leave it out, or set "
            "compare.model.d_model"},
           {{"--finetune.length=2x"},
            "finetune.length = 2x would change nothing: no row has finetune.steps above 0"},
           {{"--compare.finetune.length=1x,2x"},
            "compare.finetune.length = 1x, 2x would change nothing: no row has finetune.steps above 0"},
           {{"--experiment.tune_seed=7"},
            "experiment.tune_seed = 7 would change nothing: no compare.tune.… is set"},
           {{"--task.file=c.txt", "--task.file=d.txt"},
            "task.file = c.txt, d.txt would change nothing: no task reads files, expected text or "
            "mlm(of=text)"},
           {{"--finetune.file=c.txt", "--finetune.steps=5"},
            "finetune.file = c.txt would change nothing: no task reads files, expected text or "
            "mlm(of=text)"}})
    EXPECT_THAT(compared(words), ElementsAre(line));
  EXPECT_THAT(
      trained({"--finetune.encoding=alibi"}),
      ElementsAre("finetune.encoding = alibi would change nothing: it needs a checkpoint: --model FILE"));
}

// A file may be shared by several programs, and its plain keys apply to rows that do not set them.
TEST(Unused, IsNothingThatSomeRowTakesFromAllOrThatAFileSays) {
  const std::string one = config("one.cfg", "[row a]\nmodel.d_model = 16\n[row b]\n");
  const std::string beside = config("beside.cfg", "[row a]\nmodel.layers = 1\n");
  const std::string path = config("file.cfg",
                                  "[model]\nd_model = 24\n[compare]\nmodel.d_model = 16, "
                                  "32\n[finetune]\nlength = 2x\n[train]\nseed = 7\n");
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"--config", one, "--model.d_model=24"},
           {"--config", beside, "--compare.model.d_model=16,32", "--model.d_model=24"},
           {"--config", beside, "--model.encoding=rope"},
           {"--config", path},
           {"--model.encoding=rope"},
           {"--model.encoding=rope", "--compare.model.d_model=16,32"},
           {"--finetune.length=2x", "--finetune.steps=5"}})
    EXPECT_THAT(compared(words), IsEmpty()) << words.back();
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

}  // namespace
}  // namespace ordinal::experiments
