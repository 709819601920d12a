// Checkpoints scored again: the same bits as after their training, in rows and with names of their own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "tests/experiments/drivers/experiment.h"

namespace ordinal::experiments::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;

const std::string lengths = " --evaluate.batches=2 --evaluate.lengths=1x,2x ";
const std::string three_conditions = " --evaluate.conditions='trained,window(size=8),truncated(size=8)' ";

Outcome evaluate(const std::string& arguments) {
  return run_well("evaluate", "--quiet --model " + arguments);
}

nlohmann::json scores(const std::string& cell) {
  const auto result = nlohmann::json::parse(file(cell + "/result.json"));
  return {result.at("scores"), result.at("by_position")};
}

// All lines of a table, without what an experiment compares.
auto lines_of_table(const std::string& name) {
  auto lines = csv(name);
  for (auto& line : lines) line.erase("model.encoding");
  return lines;
}

// Random positions of the test are those of the seed.
TEST(Evaluate, GivesTheBitsOfTheExperiment) {
  const std::vector<std::string> rows = {"sinusoidal",      "learned",           "rope@contiguous:yarn", "t5",
                                         "rope@randomized", "rope@random_float", "rope@random_shift"};
  extrapolate(steps + three_conditions + "--experiment.seeds=2 --compare.model.encoding='" +
              joined(rows, ",") + "' --out run");
  const Outcome outcome =
      evaluate("run/cells/*/seed-*/checkpoint.safetensors" + lengths + three_conditions + "--out again");
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("rope@contiguous:yarn"), HasSubstr("report: again/report.html\n")));
  for (const std::string& row : rows) {
    for (const std::string seed : {"1", "2"}) {
      const std::string cell = "/" + row + "/seed-" + seed;
      EXPECT_EQ(scores("run/cells" + cell), scores("again/cells" + cell)) << cell;
    }
  }
  for (const std::string name : {"table.csv", "seeds.csv"})
    EXPECT_THAT(lines_of_table("again/" + name),
                ::testing::UnorderedElementsAreArray(lines_of_table("run/" + name)));
  EXPECT_EQ(file("again/references.csv"), file("run/references.csv"));
  EXPECT_THAT(file("again/report.html"), HasSubstr("./experiments/run evaluate --quiet --model "));
}

TEST(Evaluate, UnderInterpolatedGivesTheBitsOfPositionsThatAre) {
  train(steps + "--model.encoding=learned --out learned");
  const std::string model = "learned/checkpoint.safetensors" + lengths;
  evaluate(model + "--evaluate.conditions=trained,interpolated --out condition");
  evaluate(model + "--model.encoding=learned@contiguous:interpolated --out positions");
  const auto bits = [](const std::string& out) {
    const std::string row =
        std::filesystem::directory_iterator(own_folder() / out / "cells")->path().filename();
    const auto all = wholes(cell_from_json(file(out + "/cells/" + row + "/seed-1/result.json")));
    EXPECT_FALSE(all.back().failed) << all.back().why;
    return std::tuple(all.front().value, all.back().value, all.back().past_training);
  };
  EXPECT_EQ(bits("condition"), bits("positions"));
}

TEST(Evaluate, GivesTheBitsOfASecondStageWithTheConfigOfItsExperiment) {
  write("x.cfg", interpolated);
  extrapolate(steps + "--experiment.seeds=1 --config x.cfg --out run");
  evaluate("run/cells/fine-tuned/seed-1/checkpoint.safetensors --config run/resolved.cfg --out again");
  EXPECT_EQ(scores("run/cells/fine-tuned/seed-1"), scores("again/cells/fine-tuned/seed-1"));
  evaluate("run/cells/fine-tuned/seed-1/checkpoint.safetensors" + lengths +
           "--task.train_length=16 --out by_key");
  EXPECT_EQ(scores("run/cells/fine-tuned/seed-1"), scores("by_key/cells/fine-tuned/seed-1"));
}

TEST(Evaluate, RowsAreCalledAsTheirFoldersAndHoldTheSeeds) {
  for (const std::string seed : {"1", "2"})
    train(steps + "--model.encoding=rope --train.seed=" + seed + " --out narrow/seed-" + seed);
  train(steps + "--model.encoding=rope --model.d_model=24 --out seed-study/seed-3/runs/wide");
  const std::string wide = "seed-study/seed-3/runs/wide/checkpoint.safetensors" + lengths + "--out run";
  evaluate(wide);
  const auto written = written_at("run/cells/wide/seed-1/result.json");
  evaluate("narrow/*/checkpoint.safetensors " + wide);
  EXPECT_EQ(column("row"), (std::vector<std::string>{"narrow", "wide"}));
  EXPECT_EQ(column("seed", "run/seeds.csv"), (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(written_at("run/cells/wide/seed-1/result.json"), written) << "a folder may get more rows";
  for (const auto& [name, bytes] : everything("run"))
    EXPECT_THAT(name, ::testing::Not(HasSubstr("checkpoint"))) << "weights stay where they are";
}

TEST(Evaluate, ARowSaysThatItIsTestedWithAnotherEncoding) {
  train(steps + "--model.encoding=sinusoidal --out sines");
  evaluate("sines/checkpoint.safetensors" + lengths +
           "--model.encoding='sinusoidal@contiguous:interpolated' --out again");
  const auto line = csv("again/seeds.csv").front();
  EXPECT_EQ(line.at("row"), "sines as sinusoidal@contiguous:interpolated");
  EXPECT_THAT(line.at("model.encoding"), ::testing::EndsWith("@contiguous(offset=0):interpolated"));
}

// A seed that was not tested at the training length is not ranked.
TEST(Evaluate, WithoutTheTrainingLengthItIsUnknownWhetherARowLearned) {
  extrapolate(steps + "--experiment.seeds=2 --compare.model.encoding=rope,none --out run");
  const std::string models = "run/cells/*/seed-*/checkpoint.safetensors --evaluate.batches=2 ";
  for (const std::string test :
       {"--evaluate.lengths=2x", "--evaluate.lengths=1x,2x --evaluate.conditions=window"}) {
    const Outcome outcome = evaluate(models + test + " --out again");
    EXPECT_THAT(outcome.out, AllOf(HasSubstr("unknown"), HasSubstr("no row is ranked"))) << test;
    EXPECT_THAT(file("again/report.html"), HasSubstr("are known to have learned")) << test;
    EXPECT_EQ(csv("again/seeds.csv").front().at("learned"), "") << test;
  }
}

TEST(Evaluate, ItsConfigTrainsTheModelsAgain) {
  extrapolate(one_seed + "--compare.model.encoding='rope(base=500)@contiguous:yarn,learned' --out run");
  evaluate("run/cells/*/seed-1/checkpoint.safetensors" + lengths + "--out scored");
  extrapolate("--quiet --config scored/resolved.cfg --out again");
  EXPECT_EQ(weights("rope(base=500)@contiguous:yarn"), weights("rope_base=500@contiguous:yarn", "again"));
  EXPECT_EQ(weights("learned"), weights("learned", "again"));
}

TEST(Evaluate, OtherLengthsTasksAndPositionsNeedNoTraining) {
  train(steps + "--model.encoding=rope --out rope");
  const std::string model = "rope/checkpoint.safetensors ";
  evaluate(model + "--evaluate.lengths=20,100 --evaluate.batches=1 --out far");
  EXPECT_EQ(column("length", "far/table.csv"), (std::vector<std::string>{"20", "100"}));
  const Outcome copy = run_well(
      "evaluate", "--model " + model + lengths + "--task.name=copy --task.train_length=8 --out copy");
  EXPECT_THAT(copy.err, HasSubstr("warning: rope/checkpoint.safetensors was trained on other data, of "
                                  "language(definitions=0.1, names=12, values=5)"));
  const std::string further = "--model " + model + "--train.steps=1 --dry-run ";
  EXPECT_THAT(run_well("train", further + "--task.name=copy --task.train_length=7 --model.vocab_size=30").out,
              HasSubstr("warning: rope/checkpoint.safetensors was trained on other data, of language("));
  EXPECT_THAT(run_well("train", further).out, ::testing::Not(HasSubstr("warning")));
  EXPECT_THAT(column("metric", "copy/table.csv"), IsSupersetOf({"accuracy", "exact"}));
  evaluate(model + lengths + "--model.encoding=rope@contiguous:yarn --out yarn");
  EXPECT_EQ(column("row", "yarn/table.csv"), (std::vector<std::string>{"rope as rope@contiguous:yarn"}));
  EXPECT_NE(scores("rope").back(), scores("yarn/cells/rope-as-rope@contiguous:yarn/seed-1").back());
}

TEST(Evaluate, AConfigOfTrainingsSetsOnlyTheTest) {
  train(steps + "--model.encoding=rope --out rope");
  write("x.cfg",
        "[model]\nd_model = 999\n[model]\nencoding = learned\n[train]\nsteps = 9\n[evaluate]\n"
        "lengths = 3x\nbatches = 1\n[row a]\nfinetune.steps = 4\n[finetune]\nencoding = none\n");
  evaluate("rope/checkpoint.safetensors --config x.cfg --out run");
  EXPECT_EQ(column("row"), (std::vector<std::string>{"rope"}));
  EXPECT_EQ(column("length"), (std::vector<std::string>{"48"}));
}

TEST(Evaluate, KeepsScoresOfTheSameWeights) {
  for (const std::string seed : {"1", "2"}) {
    train(steps + "--train.seed=" + seed + " --model.encoding=none --out from" + seed);
    train(steps + "--model from" + seed + "/checkpoint.safetensors --out " + seed + "/fine");
  }
  const std::string cell = "run/cells/fine/seed-1";
  evaluate("1/fine/checkpoint.safetensors" + lengths + "--out run");
  const auto written = written_at(cell + "/result.json");
  evaluate("1/fine/checkpoint.safetensors" + lengths + "--out run");
  EXPECT_EQ(written_at(cell + "/result.json"), written);
  evaluate("2/fine/checkpoint.safetensors" + lengths + "--out run");
  EXPECT_EQ(scores(cell), scores("2/fine")) << "of the same settings and seed, but other weights";
}

TEST(Evaluate, AnInterruptedRunContinuesToTheSameTable) {
  extrapolate(steps + "--experiment.seeds=2 --compare.model.encoding=none --out run");
  const std::string longer =
      "--quiet --model run/cells/none/*/checkpoint.safetensors --evaluate.lengths=1x,64x "
      "--evaluate.batches=60 ";
  const Outcome stopped = run_until("some/resolved.cfg", "INT", "evaluate", longer + "--out some");
  EXPECT_EQ(stopped.exit_code, 130) << stopped.err;
  EXPECT_THAT(stopped.err, HasSubstr("Continue with:"));
  EXPECT_FALSE(exists("some/table.csv"));
  run_well("evaluate", longer + "--out some");
  run_well("evaluate", longer + "--out whole --threads 1");
  EXPECT_EQ(file("some/table.csv"), file("whole/table.csv"));
}

// Attention never holds a score for each pair of tokens.
TEST(EvaluateSlow, SixtyFiveThousandTokensTakeLessThanAGibibyte) {
  train(
      "--quiet --model.encoding=none --train.steps=1 --train.warmup=0 --evaluate.lengths=1x "
      "--evaluate.batches=1 --out run");
  evaluate("run/checkpoint.safetensors --evaluate.lengths=65536 --evaluate.batches=1 --threads=1 --out far");
  rusage usage{};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  EXPECT_LT(1024.0 * static_cast<double>(usage.ru_maxrss), 0x1p30);
}

TEST(Evaluate, WhatItCannotScoreIsOneLineAndNothingIsWritten) {
  extrapolate(one_seed + "--compare.model.encoding=rope,learned --out run");
  const std::string rope = "run/cells/rope/seed-1/checkpoint.safetensors";
  const std::string learned = "run/cells/learned/seed-1/checkpoint.safetensors";
  train(steps + "--task.name=copy --out copy");
  train(steps + "--model.encoding=rope --train.seed=2 --out other/cells/rope/seed-2");
  const std::string steps_2 = "other/cells/rope/seed-2/checkpoint.safetensors";
  const auto before = everything("run");
  for (const auto& [arguments, line] : std::vector<std::pair<std::string, std::string>>{
           {"", "--model is missing (see evaluate --help)"},
           {"--model " + rope + " " + rope,
            rope + ": it would be rope seed 1 beside " + rope +
                ", and has the same seed or other settings; leave one of them out, or score each with an "
                "--out of its own\n"},
           {"--model " + rope + " " + steps_2,
            steps_2 + ": it would be rope seed 2 beside " + rope + ", and "},
           {"--model nothing " + rope, "nothing: No such file or directory"},
           {"--model " + rope + " --out run",
            "run: it holds the trainings of an experiment; choose another --out, or remove it\n"},
           {"--model " + rope + " --model.d_model=8",
            "command line: model.d_model: evaluate does not read it (see evaluate --help)"},
           {"--model " + rope + " --model.encoding='learned(overflow=clamp)'",
            rope + ": it was trained with model.encoding = rope, command line says "
                   "learned; leave "
                   "that out, or exchange it in further training: train --finetune.encoding"},
           {"--model " + rope + " copy/checkpoint.safetensors",
            "rope and copy cannot be compared: their tasks are scored by contested.accuracy.past, "}}) {
    EXPECT_THAT(error_of("evaluate", "--out new " + arguments), ::testing::StartsWith("evaluate: " + line));
  }
  EXPECT_FALSE(exists("new"));
  EXPECT_EQ(everything("run"), before);
  EXPECT_THAT(evaluate(learned + lengths + "--model.encoding='learned(overflow=clamp)' --out clamped").out,
              HasSubstr("learned as learned(overflow=clamp) "));
}

TEST(Evaluate, ADryRunSaysWhatWouldBeScored) {
  extrapolate(one_seed + "--compare.model.encoding=rope,none --out run");
  const Outcome plan =
      run_well("evaluate", "--model run/cells/*/seed-1/checkpoint.safetensors --dry-run --out new" + lengths);
  EXPECT_THAT(plan.out, AllOf(HasSubstr("rope: positions contiguous; scoring 32 tokens needs about "),
                              HasSubstr("seed 1: run/cells/none/seed-1/"),
                              HasSubstr("scored at lengths 16, 32 (trained)")));
  EXPECT_FALSE(exists("new"));
}

}  // namespace
}  // namespace ordinal::experiments::testing
