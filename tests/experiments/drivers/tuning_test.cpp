// Values of settings that are chosen for each row, and lengths of training.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/experiments/drivers/experiment.h"

namespace ordinal::experiments::testing {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
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
}

TEST(Tuning, WithoutAFiniteScoreStopsBeforeTheSeeds) {
  const Outcome outcome =
      run_program("extrapolation", one_seed + "--compare.tune.train.learning_rate=1e20,1e30 --out run");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.err,
            "extrapolation: sinusoidal: no training has a finite score with learning_rate = 1e20 or with "
            "learning_rate = 1e30 (compare.tune: other values)\n");
  EXPECT_FALSE(exists("run/cells"));
}

// An accuracy is better if it is higher: of `mode`, which a few steps learn.
TEST(Tuning, OfAnAccuracyChoosesTheHigher) {
  extrapolate(one_seed +
              "--task.name=mode --train.steps=60 --compare.tune.train.learning_rate=1e-9,1e-2 --out run");
  EXPECT_EQ(metadata("run/cells/sinusoidal/seed-1", "train.learning_rate"), "0.01");
}

// Readers and gate are those of the chosen task and length.
TEST(Tuning, OfATaskIsFollowedByReadersAndGate) {
  const std::string run =
      without("task.train_length", one_seed) + "--task.name='copy(symbols=5)' --evaluate.batch=4 ";
  extrapolate(run + "--compare.tune.task.train_length=4,8 --out run");
  const std::string chosen = metadata("run/cells/sinusoidal/seed-1", "task.train_length");
  extrapolate(run + "--task.train_length=" + chosen + " --out given");
  EXPECT_EQ(file("run/references.csv"), file("given/references.csv"));
  EXPECT_EQ(file("run/seeds.csv"), file("given/seeds.csv"));
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

// ---- Lengths of training

TEST(LengthsSlow, AreRowsOfAComparison) {
  extrapolate(one_seed +
              "--model.encoding=rope --compare.task.lengths='fixed; mixed(longest=32, share=0.2); "
              "growing' --out run");
  EXPECT_EQ(trainings().size(), 3U);
  EXPECT_THAT(column("row"),
              ElementsAre("lengths = fixed", "lengths = mixed(longest=32, share=0.2)", "lengths = growing"));
  EXPECT_EQ(result("lengths=growing").train_length, 16);
  EXPECT_EQ(result("lengths=mixed_longest=32_share=0.2").train_length, 16);
  EXPECT_THAT(
      file("run/report.html"),
      AllOf(HasSubstr("Trained on sequences of up to length 16, and 32 in some batches, how does each"),
            HasSubstr("<br>Rows: 3."), Not(HasSubstr("second stage"))));
}

// The metadata hold the options, so a checkpoint is scored as its training scored it.
TEST(LengthsSlow, AreKeptInTheCheckpoint) {
  train(steps + "--model.encoding=learned --task.lengths='mixed(longest=32)' --out run");
  EXPECT_EQ(metadata("run", "task.lengths"), "mixed(longest=32, share=0.05)");
  EXPECT_EQ(metadata("run", "model.train_length"), "32");
  run_well("evaluate",
           "--quiet --model run/checkpoint.safetensors --train.batch=4 --evaluate.batches=2 "
           "--evaluate.lengths=1x,2x --out again");
  const CellResult first = cell_from_json(file("run/result.json"));
  EXPECT_FALSE(wholes(first).at(1).failed) << wholes(first).at(1).why;
  const auto scores = [](const std::string& out) {
    std::vector<std::string> all;
    for (const auto& line : csv(out + "/table.csv"))
      all.push_back(line.at("length") + " " + line.at("metric") + " " + line.at("mean"));
    return all;
  };
  EXPECT_EQ(scores("run"), scores("again"));
}

TEST(LengthsSlow, OfASecondStageAreItsOwn) {
  write("a.cfg",
        "[row tuned]\nmodel.encoding = rope\ntask.lengths = mixed(longest=20)\nfinetune.steps = 3\n"
        "finetune.length = 2x\nfinetune.lengths = uniform\n");
  extrapolate(one_seed + "--config a.cfg --out run");
  EXPECT_EQ(metadata(training_of("20"), "task.lengths"), "mixed(longest=20, share=0.05)");
  EXPECT_EQ(metadata("run/cells/tuned/seed-1", "task.lengths"), "uniform");
  EXPECT_THAT(file("run/report.html"),
              HasSubstr("length 16, and 20 in 5 % of the batches, in a second stage up to 32, how does"));
}

TEST(LengthsSlow, OfADryRunAreTheLongest) {
  const std::string run = with_progress + "--compare.model.encoding=none --dry-run ";
  EXPECT_THAT(extrapolate(run + "--task.lengths='mixed(longest=40)'").out, HasSubstr("20 × 4 × up to 40 "));
  EXPECT_THAT(extrapolate(run + "--task.lengths=uniform").out, HasSubstr("20 × 4 × up to 16 "));
}

}  // namespace
}  // namespace ordinal::experiments::testing
