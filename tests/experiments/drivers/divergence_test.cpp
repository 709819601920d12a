// Trainings that go wrong: numbers that become infinite or NaN, other machines, a lost log.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/process/machine.h"
#include "tests/experiments/drivers/experiment.h"

namespace ordinal::experiments::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

// Too fast at a rate of 1, not at a sixteenth of it.
const std::string too_fast =
    tiny +
    "--train.optimizer=sgd --train.clip=0 --train.warmup=0 --train.checkpoint_every=50 "
    "--model.encoding=none --train.learning_rate=";

TEST(Divergence, EndsTrainingWithStepLayerAndExampleAndKeepsTheLastGoodCheckpoint) {
  const Outcome outcome = run_program("train", too_fast + "1e30 --train.checkpoint_every=1 --out run");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.error_lines(), 1) << outcome.err;
  EXPECT_THAT(outcome.err,
              AllOf(StartsWith("train: diverged at step "), HasSubstr(", forward: "),
                    HasSubstr(" for example 0, token "), HasSubstr("try a smaller train.learning_rate")));
  for (const auto& [name, values] : tensors("run")) {
    EXPECT_TRUE(std::ranges::all_of(values, [](float x) { return std::isfinite(x); })) << name;
  }
}

// A model that knows nothing of 30 tokens has 4.9 bits.
TEST(Divergence, IsALossAHundredTimesThatOfNoKnowledge) {
  const std::string rates = one_seed +
                            "--compare.model.encoding=none --train.optimizer=sgd --train.clip=0 "
                            "--train.warmup=0 --train.log_every=1 --compare.train.learning_rate=";
  extrapolate(rates + "1e-3,10 --out run");
  EXPECT_EQ(weights("none, learning_rate = 10"), "");
  EXPECT_NE(weights("none, learning_rate = 1e-3"), "");
  const std::string why = wholes(result("none_learning_rate=10"))[0].why;
  EXPECT_THAT(why, MatchesRegex("diverged at step [0-9]+: the loss is [0-9.e+]+ bits per token, over 100 "
                                "times that of a model that knows nothing; try .*"));
  EXPECT_THAT(file("run/table.md"), HasSubstr("diverged"));
  std::istringstream log(file("run/cells/none_learning_rate=10/seed-1/metrics.jsonl"));
  for (std::string line; std::getline(log, line);)
    EXPECT_LT(nlohmann::json::parse(line).at("bits_per_token").get<double>(), 100.0 * std::log2(30.0));
}

TEST(Divergence, OfAllRowsIsAFailureAfterTheReport) {
  const Outcome outcome = run_program("extrapolation", one_seed +
                                                           "--train.learning_rate=1e30 --train.clip=0 "
                                                           "--train.optimizer=sgd --out run");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, StartsWith("extrapolation: no row has a trained model: diverged at step "));
  EXPECT_TRUE(exists("run/report.html"));
}

// The second run continues in the middle of the ten.
TEST(Divergence, BatchesAreSkippedUntilTenInARow) {
  const std::string run =
      too_fast + "1e6 --train.steps=200 --train.checkpoint_every=5 --train.on_divergence=skip --out run";
  for (int repeat = 0; repeat < 2; ++repeat) {
    const Outcome outcome = run_program("train", run);
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_THAT(outcome.err, HasSubstr("skipping batches does not help"));
    const std::string log = file("run/metrics.jsonl");
    Index skipped = 0;
    for (std::size_t at = log.find("null"); at != std::string::npos; at = log.find("null", at + 1)) ++skipped;
    EXPECT_EQ(skipped, 2 * 10) << "loss and norm of ten steps";
    std::filesystem::remove(own_folder() / "run/result.json");
  }
}

// ---- Machines

TEST(Machines, ProductsThatFollowOthersAreSaidAndListedInTheCheckpoint) {
  const std::string run = tiny + "--model.encoding=none --train.schedule=constant --out run --train.steps=";
  train(run + "8");
  run_well("train", run + "12", "ORDINAL_PRODUCTS=openblas");
  EXPECT_THAT(metadata("run", "builds"),
              MatchesRegex("[0-9.]* with portable products; [0-9.]* with OpenBLAS .*"));
}

TEST(Machines, OtherProductsThanThoseThatThereAreAreRefused) {
  const Outcome outcome =
      run_program("train", tiny + "--model.encoding=none --out run", "ORDINAL_PRODUCTS=mkl");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("ORDINAL_PRODUCTS: got 'mkl', expected portable or openblas"));
}

TEST(Machines, ThatTrainedNothingAreNotInTheManifest) {
  const std::string run = one_seed + "--compare.model.encoding=none --out run";
  extrapolate(run);
  std::filesystem::remove(own_folder() / "run/cells/none/seed-1/result.json");
  for (int repeat = 0; repeat < 2; ++repeat) {  // scores a trained model, then only reads its scores
    run_well("extrapolation", run, "ORDINAL_PRODUCTS=openblas");
    EXPECT_THAT(nlohmann::json::parse(file("run/manifest.json")).at("trained_by").get<std::string>(),
                MatchesRegex("[0-9.]* with portable products"));
  }
}

TEST(Machines, ALogThatWasRemovedIsBegunAgain) {
  const std::string run = tiny + "--model.encoding=none --train.schedule=constant --out run --train.steps=";
  train(run + "8");
  std::filesystem::remove(std::filesystem::canonical(own_folder() / "run/metrics.jsonl"));
  train(run + "12");
  EXPECT_THAT(file("run/metrics.jsonl"), StartsWith("{\"step\":10"));
}

}  // namespace
}  // namespace ordinal::experiments::testing
