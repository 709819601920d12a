// Settings on the command line without effect: each is rejected in one line, with the key to use.
#include "experiments/settings/checks.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "experiments/programs/driver.h"
#include "tests/experiments/settings/command.h"

namespace ordinal::experiments {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

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
  const std::string rows =
      config("rows.cfg", "[compare]\nmodel.encoding = rope, none\ntune.train.batch = 4, 8\n");
  EXPECT_THAT(trained({"--config", rows, "--model.encoding=rope", "--train.batch=4"}), IsEmpty());
}

// On the command line; in a file it may be for another program.
TEST(Unread, IsEveryKeyThatTheHelpOfTheProgramDoesNotShow) {
  for (const DriverDescription& driver :
       {extrapolation_driver(), claims_driver(), train_driver(), evaluate_driver(), generate_driver(),
        encoding_driver(), parity_driver(), benchmark_driver()}) {
    const std::string help = help_text(driver);
    const auto line = [&](const std::string& key) {
      return fmt::format("command line: {0}: {1} does not read it (see {1} --help)", key, driver.name);
    };
    for (const Key& key : all_keys()) {
      const bool is_shown = help.find("--" + key.name + " ") != std::string::npos;
      const std::vector<std::string> lines = refusals(driver, {"--" + key.name + "=" + key.option.value});
      EXPECT_EQ(std::ranges::count(lines, line(key.name)), is_shown ? 0 : 1) << key.name;
    }
    if (driver.builds != Builds::rows) {
      EXPECT_THAT(refusals(driver, {"--compare.model.layers=1,2"}), Contains(line("compare.model.layers")));
    }
  }
}

}  // namespace
}  // namespace ordinal::experiments
