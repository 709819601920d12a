// A second stage of training, or a training that starts from a checkpoint: at another length, with other positions or on another
// text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/experiments/drivers/experiment.h"

namespace ordinal::experiments::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string exchanged =
    "[row dropped]\nmodel.encoding = rope\nfinetune.steps = 6\nfinetune.encoding = none\n"
    "[row grown]\nmodel.encoding = learned\nfinetune.steps = 6\nfinetune.length = 2x\n"
    "finetune.encoding = learned(grow=interpolated)\n";

TEST(SecondStageSlow, IsARowBesideTheOneWithout) {
  write("a.cfg", interpolated);
  extrapolate(one_seed + "--config a.cfg --out run");
  EXPECT_EQ(trainings().size(), 2U);
  EXPECT_NE(values("interpolated"), values("fine-tuned"));
  EXPECT_EQ(result("fine-tuned").train_length, 16);  // positions past it are the same for all rows
  EXPECT_THAT(metadata("run/cells/fine-tuned/seed-1", "model.encoding"), EndsWith("@interpolated(scale=0)"));
  EXPECT_THAT(result("fine-tuned").settings, HasSubstr("\ntask.train_length = 32\n"));
  EXPECT_THAT(
      file("run/report.html"),
      AllOf(HasSubstr("Trained on sequences of length 16, in a second stage up to 32, how does each row"),
            HasSubstr("<br>Rows: 2.")));
}

TEST(SecondStageSlow, EqualsFineTuningByHandToTheBit) {
  write("a.cfg", interpolated + exchanged);
  extrapolate(one_seed + "--config a.cfg --out run");
  for (const auto& [row, encoding, then] :
       {std::tuple{"fine-tuned", "rope@contiguous:interpolated", "--model.encoding=rope@interpolated"},
        std::tuple{"grown", "learned", "--finetune.encoding='learned(grow=interpolated)'"}}) {
    const std::string first = std::string("first-") + row;
    const std::string second = std::string("second-") + row;
    train(tiny + "--model.encoding=" + encoding + " --out " + first);
    for (int repeat = 0; repeat < 2; ++repeat) {
      train(tiny + "--model " + first + "/checkpoint.safetensors --task.train_length=32 --train.steps=6 " +
            then + " --evaluate.lengths=16,32 --out " + second);
    }
    const std::string cell = std::string("run/cells/") + row + "/seed-1";
    EXPECT_EQ(tensors(cell), tensors(second));
    EXPECT_EQ(metadata(cell, "initial_model"), metadata(second, "initial_model"));
  }
  EXPECT_EQ(tensors("run/cells/interpolated/seed-1"), tensors("first-fine-tuned"));
}

// After one step m = (1 - β1) g and v = (1 - β2) g², whatever the first stage had.
TEST(SecondStageSlow, StartsTheOptimizerAnew) {
  train(tiny + "--out first");
  train(tiny + "--model first/checkpoint.safetensors --train.steps=1 --train.warmup=1 --out second");
  const SafetensorsFile file(own_folder() / "second/checkpoint.safetensors");
  const auto state = [&](const std::string& moment) {
    return file.values<double>("optimizer." + moment + ".block.0.feed_forward.up.weight");
  };
  const std::vector<double> m = state("m");
  const std::vector<double> v = state("v");
  for (std::size_t i = 0; i < m.size(); ++i) EXPECT_NEAR(m[i] * m[i] * 0.05, v[i] * 0.01, 1e-5 * v[i]) << i;
}

TEST(SecondStageSlow, MayHaveAnotherEncodingOrALongerTable) {
  write("a.cfg", exchanged);
  const Outcome outcome = extrapolate(with_progress + "--config a.cfg --out run");
  EXPECT_EQ(metadata("run/cells/dropped/seed-1", "model.encoding"), "none@contiguous(offset=0)");
  EXPECT_EQ(tensors(training_of("20", "learned")).at("positional.learned.table").size(), 16U * 16U);
  EXPECT_EQ(tensors("run/cells/grown/seed-1").at("positional.learned.table").size(), 32U * 16U);
  EXPECT_THAT(
      outcome.err,
      HasSubstr("grown seed 1 fine-tuning  resized positional.learned.table from (16, 16) to (32, 16)\n"));
  EXPECT_TRUE(std::isfinite(values("grown").back()));  // at 32 tokens
}

TEST(RefusedSecondStage, OfAnEncodingThatCannotTakeTheWeightsIsNamedBeforeTraining) {
  write("a.cfg", "[row t5]\nmodel.encoding = t5\nfinetune.steps = 6\nfinetune.encoding = t5(buckets=8)\n");
  expect_refused("extrapolation", one_seed + "--config a.cfg --out run",
                 "finetune.encoding: positional.t5.bias has shape (8, 2), and (16, 2) in the first "
                 "stage; it cannot be resized");
  EXPECT_FALSE(exists("run"));
}

// Killed or asked to stop in the middle of either stage: the same bits as without interruption.
TEST(SecondStageSlow, ContinuesAfterAKillToTheSameBits) {
  write("a.cfg",
        "[row fine-tuned]\nmodel.encoding = rope@contiguous:interpolated\nfinetune.steps = 2000\n"
        "finetune.length = 2x\n");
  const std::string run = one_seed + "--train.checkpoint_every=100 --train.log_every=50 --config a.cfg ";
  extrapolate(run + "--out whole");
  for (const std::string signal : {"KILL", "INT"}) {
    const Outcome stopped = run_until(signal + "/cells/fine-tuned/seed-1/metrics.jsonl", signal,
                                      "extrapolation", run + "--out " + signal, 4);
    EXPECT_NE(stopped.exit_code, 0);
    EXPECT_FALSE(std::filesystem::exists(own_folder() / signal / "table.csv"));
    const std::string first = training_of("20", "", signal) + "/checkpoint.safetensors";
    const auto before = written_at(first);
    extrapolate(run + "--out " + signal);
    EXPECT_EQ(written_at(first), before);
    expect_same_numbers("whole", signal);
    EXPECT_EQ(without_seconds("whole/cells/fine-tuned/seed-1/result.json"),
              without_seconds(signal + "/cells/fine-tuned/seed-1/result.json"));
  }
}

TEST(SecondStageSlow, LearnsFromOtherExamplesThanTheFirst) {
  write("same.cfg",
        "[row again]\nmodel.encoding = none\nfinetune.steps = 5\nfinetune.learning_rate = 1e-30\n");
  extrapolate(one_seed + "--config same.cfg --train.learning_rate=1e-30 --train.log_every=1 --out run");
  const auto curve = result("again").training_curve;
  ASSERT_FALSE(curve.empty());
  const std::string first = file(training_of("20") + "/metrics.jsonl");
  const std::string second = file("run/cells/again/seed-1/metrics.jsonl");
  const auto loss = [](const std::string& log) { return log.substr(log.find("bits_per_token"), 36); };
  EXPECT_NE(loss(first), loss(second));
}

// ---- Training that starts from a checkpoint

const std::string few_steps =
    "--quiet --train.steps=3 --train.warmup=1 --train.batch=4 --evaluate.batches=1 --evaluate.lengths=1x ";

TEST(FineTuning, StartsFromTheParametersAndKnowsTheirTrainingLength) {
  train(steps + "--out first --model.encoding=rope");
  const std::string longer = steps +
                             "--model first/checkpoint.safetensors --model.encoding=rope@interpolated "
                             "--task.train_length=32 --evaluate.lengths=32 ";
  train(longer + "--train.steps=0 --train.warmup=0 --out copied");
  train(longer + "--out tuned");
  const auto weight = [](const std::string& out) { return tensors(out).at("block.0.attention.qkv.weight"); };
  EXPECT_EQ(weight("copied"), weight("first"));
  EXPECT_NE(weight("tuned"), weight("first"));
  EXPECT_EQ(metadata("copied", "model.train_length"), "16");
}

TEST(FineTuning, OfATableThatEndsNamesTheFix) {
  train(steps + "--out first --model.encoding=learned");
  const std::string longer =
      few_steps + "--model first/checkpoint.safetensors --task.train_length=24 --out second ";
  EXPECT_THAT(
      error_of("train", longer),
      HasSubstr("learned: max_seq_len = 16 is less than the 24 positions of training: there is no row for "
                "the others (a new model can have more; finetune.encoding = learned gives a trained one "
                "more; else set overflow to clamp or interpolate)"));
  EXPECT_FALSE(exists("second"));
  train(longer + "--model.encoding='learned(overflow=interpolate)'");
}

}  // namespace
}  // namespace ordinal::experiments::testing
