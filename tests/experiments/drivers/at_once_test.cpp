// Several commands that do not talk to each other do one experiment in one folder. And --jobs: trainings at the same time. The bits are
// those of one after the other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/experiments/drivers/experiment.h"

namespace ordinal::experiments::testing {
namespace {

using ::testing::HasSubstr;

// Three trainings for four rows.
const std::string four_rows =
    one_seed + "--compare.model.encoding=none,rope,rope@contiguous:yarn,alibi --threads=1 ";

TEST(CommandsSlow, AtTheSameTimeAreOneExperiment) {
  extrapolate(four_rows + "--out one");
  run_at_once(3, "extrapolation", four_rows + "--out run ");
  expect_same_experiment("run", "one");
  const auto trained = everything("run/trainings");
  extrapolate(four_rows + "--out run");
  EXPECT_EQ(everything("run/trainings"), trained);
  expect_same_experiment("run", "one");
}

// Whoever waits for a process that is killed goes on with its training.
TEST(CommandsSlow, TakeOverWhatAKilledOneTrained) {
  const std::string one =
      without("train.steps", one_seed) +
      "--train.steps=3000 --train.checkpoint_every=100 --compare.model.encoding=none --threads=1 --out ";
  extrapolate(one + "one");
  const std::string command =
      "{ " + started("extrapolation", one + "run") +
      " >first.txt 2>&1 & first=$!; until [ -s run/cells/none/seed-1/metrics.jsonl ]; do "
      "sleep 0.02; done; " +
      started("extrapolation", one + "run") +
      " >stdout.txt 2>stderr.txt & second=$!; sleep 0.3; kill -KILL $first; wait $second; }";
  EXPECT_EQ(outcome_of(command).exit_code, 0);
  expect_same_experiment("run", "one");
}

TEST(CommandsSlow, ChooseTheSameValuesAndTrainThemOnce) {
  const std::string tuned = tuned_run + "--compare.model.encoding=none,rope --threads=1 ";
  extrapolate(tuned + "--out one");
  run_at_once(2, "extrapolation", tuned + "--out run ");
  EXPECT_EQ(trainings("run"), trainings("one"));
  expect_same_experiment("run", "one");
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
