// train.stop_at ends a training before its last step.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/experiments/drivers/experiment.h"

namespace ordinal::experiments::testing {
namespace {

using ::testing::HasSubstr;

// Of one digit, which is the answer: learned in a few steps.
const std::string digit =
    "--model.d_model=16 --model.layers=1 --model.heads=2 --model.encoding=none --task.name=bin_majority "
    "--task.train_length=1 --train.batch=8 --train.learning_rate=0.01 --train.warmup=0 "
    "--train.schedule=constant --train.log_every=7 --evaluate.lengths=1x --evaluate.batches=1 ";
const std::string stops = digit + "--train.stop_at=1 --train.stop_every=20 --train.steps=400 ";

Index last_step(const std::string& folder) {
  return cell_from_json(file(folder + "/result.json")).training_curve.back().first;
}

TEST(EarlyStop, EndsATrainingWhoseAnswersAreRight) {
  const std::string said = train(stops + "--out run").err;
  const Index step = last_step("run");
  EXPECT_LT(step, 400);
  EXPECT_EQ(step % 20, 0) << "it is tested after these steps";
  EXPECT_THAT(said, HasSubstr(fmt::format("stops at step {}, 1.0000 of the examples exact", step)));
  train(digit + fmt::format("--train.steps={} --out same", step));
  EXPECT_EQ(cell_from_json(file("run/result.json")).weights_hash,
            cell_from_json(file("same/result.json")).weights_hash)
      << "the tests change nothing";
  const auto written = written_at("run/checkpoint.safetensors");
  train(stops + "--out run");
  EXPECT_EQ(written_at("run/checkpoint.safetensors"), written);
}

TEST(EarlyStop, TakesAllStepsIfTheModelNeverAnswersAsWell) {
  train(stops + "--train.learning_rate=0 --out run");
  EXPECT_EQ(last_step("run"), 400);
}

TEST(EarlyStop, HoldsForALongerTrainingThatContinuesIt) {
  const std::string row = stops + "--quiet --experiment.seeds=1, --out run ";
  extrapolate(row);
  const CellResult first = result("none");
  extrapolate(row + "--train.steps=800");
  EXPECT_EQ(result("none").weights_hash, first.weights_hash);
  EXPECT_EQ(result("none").training_curve, first.training_curve);
}

TEST(EarlyStop, IsOfTasksWithExactAnswers) {
  const Outcome refused = run_program("train", tiny + "--train.stop_at=0.9 --out run");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err,
              HasSubstr("train.stop_at: got 0.9, but task language does not score exact answers; "
                        "expected 0, or another task"));
  EXPECT_FALSE(exists("run"));
}

}  // namespace
}  // namespace ordinal::experiments::testing
