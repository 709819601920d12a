// --part I/N: processes that do not talk to each other train shares of an experiment in one folder. And --jobs: trainings at
// the same time. The bits are those of one after the other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/experiments/drivers/experiment.h"

namespace ordinal::experiments::testing {
namespace {

using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Three trainings for four rows.
const std::string four_rows =
    one_seed + "--compare.model.encoding=none,rope,rope@contiguous:yarn,alibi --threads=1 ";

// Starts the parts of an experiment at the same time, and waits for all.
void run_parts(int count, const std::string& arguments) {
  std::string command = "cd '" + own_folder().string() + "'; ";
  for (int part = 1; part <= count; ++part) {
    command += started("extrapolation", arguments) + "--part=" + std::to_string(part) + "/" +
               std::to_string(count) + " >part" + std::to_string(part) + ".txt 2>&1 & p" +
               std::to_string(part) + "=$!; ";
  }
  for (int part = 1; part <= count; ++part) command += "wait $p" + std::to_string(part) + " && ";
  EXPECT_EQ(std::system((command + "true").c_str()), 0) << file("part1.txt");
}

TEST(Parts, OneAfterTheOtherAreTheWholeExperiment) {
  extrapolate(four_rows + "--out one");
  const Outcome second = extrapolate(four_rows + "--out run --part=2/2");
  EXPECT_EQ(
      second.out,
      "part 2/2 of extrapolation: 2 of 4 cells, all done; after the last part, the same command without "
      "--part writes the tables and the report\n");
  EXPECT_THAT(trainings("run"), ElementsAre("alibi/seed-1", "rope/seed-1"));
  EXPECT_FALSE(exists("run/report.html"));
  EXPECT_FALSE(exists("run/cells/none"));
  extrapolate(four_rows + "--out run");
  expect_same_experiment("run", "one");
}

// Whichever row needs it first: a checkpoint says how its row is tested.
TEST(PartsSlow, LeaveACheckpointTheSettingsOfTheRowInWhoseFolderItIs) {
  extrapolate(one_seed + "--compare.model.encoding=rope,rope@contiguous:yarn --out run --part=2/2");
  EXPECT_THAT(metadata("run/cells/rope/seed-1", "model.encoding"),
              ::testing::AllOf(::testing::StartsWith("rope("), ::testing::EndsWith("@contiguous(offset=0)")));
}

// The second and third row share a training, which is one part's; the other waits for it.
TEST(PartsSlow, AtTheSameTimeAreTheWholeExperiment) {
  extrapolate(four_rows + "--out one");
  run_parts(3, four_rows + "--out run ");
  const auto trained = written_at("run/cells/rope/seed-1/checkpoint.safetensors");
  extrapolate(four_rows + "--out run");
  EXPECT_EQ(written_at("run/cells/rope/seed-1/checkpoint.safetensors"), trained);
  expect_same_experiment("run", "one");
}

TEST(PartsSlow, ChooseTheSameValuesAndTrainThemOnce) {
  const std::string tuned = tuned_run + "--compare.model.encoding=none,rope --threads=1 ";
  extrapolate(tuned + "--out one");
  run_parts(2, tuned + "--out run ");
  EXPECT_THAT(file("part1.txt"), HasSubstr("part 1/2 of extrapolation: 1 of 2 cells"));
  const auto chosen = written_at("run/tuning/rope/learning_rate=3e-3/checkpoint.safetensors");
  extrapolate(tuned + "--out run");
  EXPECT_EQ(written_at("run/tuning/rope/learning_rate=3e-3/checkpoint.safetensors"), chosen);
  expect_same_experiment("run", "one");
}

TEST(RefusedParts, AreOneLine) {
  for (const std::string part : {"0/3", "4/3", "x", "3", "1/0", "-1/2", "1/2/3"}) {
    EXPECT_EQ(error_of("extrapolation", four_rows + "--out run --part=" + part),
              "extrapolation: --part: got '" + part +
                  "', expected I/N, the part I of N, with I from 1 to N, such as 2/8\n");
  }
  EXPECT_FALSE(exists("run"));
}

// ---- Trainings at the same time in one process

// Quick, so that the thread sanitizer also sees a whole experiment with `tests/run --unit --preset tsan`. Two rows share a
// training with batches of two lengths.
TEST(Jobs, TrainSideBySideWhatOneTrainsAlone) {
  const std::string small = tiny +
                            "--train.steps=100 --train.shards=4 --model.dropout=0.1 --experiment.seeds=2 "
                            "--compare.model.encoding=rope,none,rope@contiguous:interpolated "
                            "--task.lengths='mixed(longest=24, share=0.3)' ";
  extrapolate(small + "--threads=1 --jobs=1 --out one");
  for (const std::string threads : {"--threads=2 --jobs=2", "--threads=2 --jobs=1", "--threads=3 --jobs=2"}) {
    std::filesystem::remove_all(own_folder() / "several");
    extrapolate(small + threads + " --out several");
    expect_same_numbers("one", "several");
  }
}

TEST(JobsSlow, OfAnInterruptedRunAreAllContinued) {
  const std::string longer = without("train.steps", without("experiment.seeds", four_rows)) +
                             "--experiment.seeds=2 --train.steps=300 --threads=2 ";
  extrapolate(longer + "--jobs=1 --out one");
  const Outcome stopped = run_until("two/cells/none/seed-2/metrics.jsonl", "INT", "extrapolation",
                                    longer + "--jobs=2 --out two", 2);
  EXPECT_EQ(stopped.exit_code, 130);
  extrapolate(longer + "--jobs=2 --out two");
  expect_same_numbers("one", "two");
}

}  // namespace
}  // namespace ordinal::experiments::testing
