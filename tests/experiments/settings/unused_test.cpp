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
            "model.d_model has no effect: every row of the command line sets it; write it in [compare], or "
            "remove the rows with an empty \"model.d_model =\" in [compare]"},
           {{"--train.learning_rate=1", "--compare.tune.train.learning_rate=0.1,0.2"},
            "train.learning_rate has no effect: every row of the command line sets it; write it in "
            "[compare], or remove the rows with an empty \"tune.train.learning_rate =\" in [compare]"},
           {{"--config", rows, "--model.d_model=24"},
            "model.d_model has no effect: every row of " + rows +
                ":2 sets it; write it in [compare], or remove the rows with an empty \"model.d_model =\" in "
                "[compare]"},
           {{"--finetune.length=2x"}, "finetune.length has no effect: no row has finetune.steps above 0"},
           {{"--compare.finetune.length=1x,2x"},
            "compare.finetune.length has no effect: no row has finetune.steps above 0"},
           {{"--experiment.tune_seed=7"}, "experiment.tune_seed has no effect: no compare.tune.… is set"},
           {{"--task.file=c.txt", "--task.file=d.txt"},
            "task.file has no effect: no task reads files, expected text or mlm(of=text)"},
           {{"--finetune.file=c.txt", "--finetune.steps=5"},
            "finetune.file has no effect: no task reads files, expected text or mlm(of=text)"}})
    EXPECT_THAT(compared(words), ElementsAre("command line: " + line));
  EXPECT_THAT(
      trained({"--finetune.encoding=alibi"}),
      ElementsAre("command line: finetune.encoding has no effect: it needs a checkpoint: --model FILE"));
}

// In one file, or before the rows, a key may be for another program.
TEST(Unused, IsAKeyOfAFileThatEveryRowOfAnEarlierOneSets) {
  const std::string rows =
      config("a.cfg", "[compare]\nmodel.encoding = rope, none\ntune.train.batch = 4, 8\n");
  const std::string later = config("b.cfg", "[experiment]\nseeds = 1\n[model]\nencoding = alibi\n");
  const std::string tuned = config("c.cfg", "[train]\nbatch = 2\n");
  const std::string written =
      config("d.cfg", "[row a]\nmodel.encoding = rope\n[row b]\nmodel.encoding = t5\n");
  const std::string none = config("none.cfg", "[compare]\nmodel.encoding =\n[model]\nlayers = 1\n");
  const std::string way_out =
      " sets it; write it in [compare], or remove the rows with an empty \"model.encoding =\" in [compare]";
  for (const std::string& earlier : {rows, written})
    EXPECT_THAT(
        compared({"--config", earlier, "--config", later}),
        ElementsAre(later + ":4: model.encoding has no effect: every row of " + earlier + ":2" + way_out));
  EXPECT_THAT(compared({"--config", rows, "--config", tuned}),
              ElementsAre(tuned + ":2: train.batch has no effect: every row of " + rows +
                          ":3 sets it; write it in [compare], or remove the rows with an empty "
                          "\"tune.train.batch =\" in [compare]"));
  for (const std::vector<std::string>& fine : std::vector<std::vector<std::string>>{
           {"--config", later, "--config", rows},
           {"--config", rows, "--config", later, "--compare.model.encoding=t5"},
           {"--config", written, "--config", later, "--config", none},
           {"--config", rows, "--config", later, "--config", none},
           {"--config", rows, "--config", tuned, "--compare.tune.train.batch="}})
    EXPECT_THAT(compared(fine), IsEmpty()) << fine.back();
  EXPECT_THAT(trained({"--config", rows, "--config", later}), IsEmpty());
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
