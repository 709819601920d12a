// Trainings at the same time: the same bits as one after the other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/experiments/drivers/experiment.h"

namespace ordinal::experiments::testing {
namespace {

const std::string rows = one_seed + "--compare.model.encoding=none,rope,rope@contiguous:yarn,alibi ";

// Quick, so that the thread sanitizer also sees a whole experiment with `tests/run --unit --preset tsan`.
TEST(Jobs, TrainSideBySideWhatOneTrainsAlone) {
  const std::string small =
      tiny + "--train.steps=100 --experiment.seeds=2 --compare.model.encoding=learned,none ";
  extrapolate(small + "--threads=1 --jobs=1 --out one");
  extrapolate(small + "--threads=2 --jobs=2 --out two");
  extrapolate(small + "--threads=2 --jobs=1 --out wide");
  expect_same_numbers("one", "two");
  expect_same_numbers("one", "wide");
}

// Rows that share a training and score several of its steps, with batches of two lengths.
TEST(Jobs, ScoreEarlierStepsOfMixedLengthsSideBySide) {
  const std::string steps_of_two =
      tiny +
      "--experiment.seeds=2 --compare.model.encoding=rope,none --compare.train.score_step=10,20 "
      "--task.lengths='mixed(longest=24, share=0.3)' ";
  extrapolate(steps_of_two + "--threads=1 --jobs=1 --out one");
  extrapolate(steps_of_two + "--threads=2 --jobs=2 --out two");
  extrapolate(steps_of_two + "--threads=3 --jobs=2 --out three");
  expect_same_numbers("one", "two");
  expect_same_numbers("one", "three");
}

TEST(JobsSlow, OfAnInterruptedRunAreAllContinued) {
  const std::string longer = without("train.steps", without("experiment.seeds", rows)) +
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
