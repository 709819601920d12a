// Lengths of training as a user sets them: rows, reports, errors, interruption and a second stage.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/experiments/drivers/experiment.h"

namespace ordinal::experiments::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(LengthsSlow, AreRowsOfAComparison) {
  extrapolate(one_seed +
              "--model.encoding=rope --compare.task.lengths='fixed; mixed(longest=32, share=0.2); "
              "growing' --out run");
  EXPECT_THAT(trainings(), ElementsAre("lengths=fixed/seed-1", "lengths=growing/seed-1",
                                       "lengths=mixed_longest=32_share=0.2/seed-1"));
  EXPECT_THAT(column("row"),
              ElementsAre("lengths = fixed", "lengths = mixed(longest=32, share=0.2)", "lengths = growing"));
  EXPECT_EQ(result("lengths=growing").train_length, 16);
  EXPECT_EQ(result("lengths=mixed_longest=32_share=0.2").train_length, 16);
  EXPECT_THAT(
      file("run/report.html"),
      AllOf(HasSubstr("Trained on sequences of up to length 16, and 32 in some batches, how does each"),
            HasSubstr("<br>Trained up to length 16, and 32 in some batches. Rows: 3."),
            Not(HasSubstr("second stage"))));
}

TEST(LengthsSlow, OfAllRowsAreSaidInTheReport) {
  train(steps + "--task.lengths='mixed(longest=20, share=0.25)' --out mixed");
  EXPECT_THAT(file("mixed/report.html"),
              HasSubstr("Trained on sequences of length 16, and 20 in 25 % of the batches, how does"));
  train(steps + "--task.lengths=growing --out growing2");
  EXPECT_THAT(
      file("growing2/report.html"),
      HasSubstr("Trained on sequences of up to length 16, growing from 8 over 50 % of the steps, how does"));
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

// Stopped in the middle of the growth: the same bits as without interruption.
TEST(LengthsSlow, GoOnWhereATrainingWasInterrupted) {
  for (const std::string lengths :
       {"'growing(from=2, until=1)'", "'mixed(longest=20, share=0.3)' --train.accumulate=2"}) {
    std::filesystem::remove_all(own_folder() / "whole");
    std::filesystem::remove_all(own_folder() / "parts");
    const std::string run =
        tiny + "--train.steps=2000 --train.checkpoint_every=100 --task.lengths=" + lengths;
    train(run + " --out whole");
    run_until("parts/metrics.jsonl", "INT", "train", run + " --out parts");
    EXPECT_NE(file("whole/metrics.jsonl").size(), file("parts/metrics.jsonl").size());
    train(run + " --out parts");
    EXPECT_EQ(file("whole/checkpoint.safetensors"), file("parts/checkpoint.safetensors")) << lengths;
  }
}

TEST(LengthsSlow, OfASecondStageAreItsOwn) {
  write("a.cfg",
        "[row tuned]\nmodel.encoding = rope\ntask.lengths = mixed(longest=20)\nfinetune.steps = 3\n"
        "finetune.length = 2x\nfinetune.lengths = uniform\n");
  extrapolate(one_seed + "--config a.cfg --out run");
  EXPECT_EQ(metadata("run/cells/tuned/seed-1", "task.lengths"), "mixed(longest=20, share=0.05)");
  EXPECT_EQ(metadata("run/cells/tuned/seed-1/finetuned", "task.lengths"), "uniform");
  EXPECT_THAT(file("run/report.html"),
              HasSubstr("length 16, and 20 in 5 % of the batches, in a second stage up to 32, how does"));
}

TEST(BadLengths, AreOneLineEach) {
  const auto refused = [](const std::string& settings, const std::string& message) {
    const Outcome outcome = run_program("train", tiny + "--out run " + settings);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
    EXPECT_EQ(outcome.error_lines(), 1) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(message));
  };
  refused("--task.lengths='mixed(longest=16)'",
          "task.lengths: mixed: got longest = 16, expected more than the training length 16");
  refused("--task.lengths='growing(from=17)'",
          "task.lengths: growing: got from = 17, expected at most the training length 16");
  refused("--task.lengths='mixed(share=1.5)'", "mixed: share: got 1.5, expected");
  refused("--task.lengths=long", "task.lengths: got 'long', expected one of auto, fixed");
  refused("--task.longest=64", "it is an option of mixed, write task.lengths = mixed(longest=64)");
  refused("--task.lengths='mixed(longest=63)' --task.name='copy(symbols=60, unique=true)'",
          "task copy: got length 63, expected 1 to 60");
  write("short.txt", std::string(600, 'x'));
  refused("--task.lengths='mixed(longest=64)' --task.name=text --task.file=short.txt",
          "600 bytes are too few for length 64: the validation part (the last tenth) has 60, expected at "
          "least 65");
  refused("--task.name=latest --task.train_length=3",
          "task latest: got length 3, at which no training example has a target, expected a longer one "
          "(raise task.train_length, or finetune.length)");
  EXPECT_FALSE(std::filesystem::exists(own_folder() / "run"));
}

TEST(LengthsSlow, OfADryRunAreTheLongest) {
  const std::string run = with_progress + "--compare.model.encoding=none --dry-run ";
  EXPECT_THAT(extrapolate(run).out, HasSubstr("20 × 4 × 16 "));
  EXPECT_THAT(extrapolate(run + "--task.lengths='mixed(longest=40)'").out, HasSubstr("20 × 4 × up to 40 "));
  EXPECT_THAT(extrapolate(run + "--task.lengths=uniform").out, HasSubstr("20 × 4 × up to 16 "));
}

}  // namespace
}  // namespace ordinal::experiments::testing
