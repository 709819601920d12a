// Values of settings that are chosen for each row.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/experiments/drivers/experiment.h"

namespace ordinal::experiments::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::StartsWith;

TEST(TuningSlow, ChoosesAValueForEachRowOnceAndSaysSo) {
  extrapolate(tuned_run + "--compare.model.encoding=none,rope --out run");
  for (const std::string row : {"none", "rope"}) {
    EXPECT_EQ(metadata("run/cells/" + row + "/seed-1", "train.learning_rate"), "0.003");
    EXPECT_EQ(metadata("run/tuning/" + row + "/learning_rate=1e-9", "train.seed"), "1000");
    EXPECT_EQ(metadata("run/tuning/" + row + "/learning_rate=1e-9", "train.learning_rate"), "1e-09");
    for (const std::string name : {"run/table.md", "run/report.html"}) {
      EXPECT_THAT(file(name), ContainsRegex(row + ": learning.*rate = 3e-3, the best of")) << name;
    }
  }
  extrapolate(one_seed + "--compare.model.encoding=none,rope --train.learning_rate=3e-3 --out given");
  EXPECT_EQ(weights("none"), weights("none", "given"));
  EXPECT_EQ(weights("rope"), weights("rope", "given"));
  EXPECT_EQ(file("run/table.csv"), file("given/table.csv"));
  const auto cell = written_at("run/cells/none/seed-1/checkpoint.safetensors");
  const auto candidate = written_at("run/tuning/none/learning_rate=3e-3/checkpoint.safetensors");
  extrapolate(tuned_run + "--compare.model.encoding=none,rope --out run");
  EXPECT_EQ(written_at("run/cells/none/seed-1/checkpoint.safetensors"), cell);
  EXPECT_EQ(written_at("run/tuning/none/learning_rate=3e-3/checkpoint.safetensors"), candidate);
  EXPECT_EQ(file("run/table.csv"), file("given/table.csv"));
}

TEST(TuningSlow, OfTwoKeysTriesAllCombinations) {
  extrapolate(tuned_run +
              "--compare.tune.train.optimizer='adamw,sgd(momentum=0)' "
              "--compare.model.encoding=none --out run");
  const auto tried = std::filesystem::directory_iterator(own_folder() / "run/tuning/none");
  EXPECT_EQ(std::distance(begin(tried), end(tried)), 4);
  EXPECT_THAT(metadata("run/cells/none/seed-1", "train.optimizer"), StartsWith("adamw("));
}

TEST(TuningSlow, NeverChoosesAValueWithWhichTrainingFails) {
  extrapolate(one_seed +
              "--compare.tune.train.learning_rate=1e30,1e-3 --compare.model.encoding=none --out run");
  EXPECT_EQ(metadata("run/cells/none/seed-1", "train.learning_rate"), "0.001");
  const Outcome outcome =
      extrapolate(tuned_run + "--compare.model.encoding='xpos(xpos_scale=0.1),none' --out other");
  EXPECT_TRUE(wholes(result("xpos_xpos_scale=0.1", "other"))[0].failed);
  EXPECT_EQ(metadata("other/cells/none/seed-1", "train.learning_rate"), "0.003");
}

TEST(TuningSlow, ContinuesAfterAnInterrupt) {
  const std::string run = one_seed +
                          "--train.steps=1500 --train.checkpoint_every=100 "
                          "--compare.tune.train.learning_rate=1e-4,3e-3 --compare.model.encoding=none ";
  extrapolate(run + "--out whole");
  const Outcome stopped = run_until("run/tuning/none/learning_rate=3e-3/metrics.jsonl", "INT",
                                    "extrapolation", run + "--out run", 3);
  EXPECT_EQ(stopped.exit_code, 130) << stopped.err;
  extrapolate(run + "--out run");
  EXPECT_EQ(file("run/table.csv"), file("whole/table.csv"));
}

TEST(RefusedTuning, OnASeedThatIsScored) {
  expect_refused("extrapolation", tuned_run + "--experiment.tune_seed=1 --out run",
                 "experiment.tune_seed = 1 is one of experiment.seeds = 1, expected a seed "
                 "that is not scored");
  EXPECT_FALSE(exists("run"));
}

TEST(RefusedTuning, OfTheSecondStage) {
  expect_refused(
      "extrapolation",
      one_seed + "--finetune.steps=3 --compare.tune.finetune.learning_rate=1e-4,1e-3 --dry-run --out run",
      "command line: compare.tune.finetune.learning_rate: values are chosen by "
      "the end of the first stage, expected another key of task, model");
}

}  // namespace
}  // namespace ordinal::experiments::testing
