// The programs as run by a user: results, interruption, resuming, repeatability.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/results/npy.h"
#include "tests/experiments/drivers/experiment.h"

namespace ordinal::experiments::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(Programs, ExplainThemselves) {
  for (const std::string program :
       {"extrapolation", "train", "evaluate", "generate", "encoding", "parity", "benchmark", "claims"}) {
    const Outcome help = run_well(program, "--help");
    EXPECT_THAT(help.out,
                AllOf(HasSubstr("Usage: " + program), HasSubstr("--config FILE"), HasSubstr("Exit code")));
    EXPECT_EQ(help.err, "");
    EXPECT_THAT(run_well(program, "--list").out, AllOf(HasSubstr("\nconv\n"), HasSubstr("\nlog_n\n")));
    EXPECT_THAT(run_well(program, "--list conv").out, ::testing::StartsWith("conv\n"));
    expect_refused(program, "--list convv", "there is nothing called 'convv' (did you mean conv?)");
  }
}

TEST(Programs, ShowWhereEverySettingComesFrom) {
  write("a.cfg", "[train]\nsteps = 7\nwarmup = 1\nbatch = 3\n");
  EXPECT_THAT(train("--config a.cfg --print-config --train.batch=5").out,
              AllOf(::testing::ContainsRegex("train.steps = 7 +\\(a.cfg:2\\)"),
                    ::testing::ContainsRegex("train.batch = 5 +\\(command line\\)"),
                    ::testing::ContainsRegex("model.heads = 4 +\\(default\\)")));
}

TEST(Programs, ADryRunWritesNothing) {
  EXPECT_THAT(extrapolate(tiny + "--dry-run --out run").out,
              AllOf(HasSubstr("3 cells = 1 rows × 3 seeds, 3 trainings"), HasSubstr("FLOPs"), HasSubstr("MB"),
                    HasSubstr("to score")));
  EXPECT_THAT(run_program("train", tiny + "--dry-run --out run").out,
              AllOf(HasSubstr("block.0.attention.qkv.weight"), HasSubstr("1 cells = 1 rows × 1 seeds"),
                    HasSubstr("FLOPs"), HasSubstr("MB"), HasSubstr("scored at lengths 1x, 2x")));
  EXPECT_THAT(run_program("encoding", "--dry-run --out run").out, HasSubstr("MB of memory"));
  EXPECT_EQ(run_program("train", "--dry-run --model.d_model=1000000000 --out run").exit_code, 2);
  EXPECT_FALSE(exists("run"));
}

// Killed after a checkpoint, and asked to stop: both resume to the same bits as an uninterrupted run.
TEST(TrainProgram, ContinuesAfterAKillToTheSameBits) {
  const std::string run = tiny + "--train.steps=2000 --train.checkpoint_every=100 ";
  train(run + "--out whole");
  for (const std::string signal : {"KILL", "INT"}) {
    const Outcome stopped = run_until(signal + "/metrics.jsonl", signal, "train", run + "--out " + signal);
    EXPECT_EQ(stopped.exit_code, signal == "INT" ? 130 : 137) << stopped.err;
    if (signal == "INT") {
      EXPECT_THAT(stopped.err, AllOf(HasSubstr("Continue with:"), HasSubstr("--out INT")));
    }
    EXPECT_NE(file("whole/metrics.jsonl").size(),
              file(signal + "/metrics.jsonl").size());  // it was stopped halfway
    EXPECT_FALSE(std::filesystem::exists(own_folder() / signal / "result.json"));
    train(run + "--out " + signal);
    EXPECT_EQ(file("whole/checkpoint.safetensors"), file(signal + "/checkpoint.safetensors"));
    EXPECT_EQ(file("whole/table.csv"), file(signal + "/table.csv"));
  }
}

TEST(GenerateProgram, IsRepeatable) {
  train(tiny + "--out run");
  const std::string generate =
      "--model run/checkpoint.safetensors --generate.length=30 --generate.prompt='=KdK' ";
  const Outcome first = run_well("generate", generate);
  EXPECT_EQ(first.out.size(), 4U + 30U + 1U);
  EXPECT_TRUE(first.out.starts_with("=KdK"));
  EXPECT_EQ(first.out, run_program("generate", generate).out);
  EXPECT_NE(first.out, run_program("generate", generate + "--generate.seed=2").out);
  const std::string greedy = generate + "--generate.temperature=0 ";
  EXPECT_EQ(run_program("generate", greedy).out, run_program("generate", greedy + "--generate.seed=2").out);
}

const std::string experiment =
    tiny + "--compare.model.encoding=sinusoidal,learned,none --experiment.seeds=2 --out run ";

TEST(ExtrapolationProgram, LeavesAllItsFiles) {
  // Enough targets for means, without which there is no curve.
  EXPECT_THAT(
      extrapolate(experiment + "--evaluate.batches=100 '--task.name=latest(names=2, octaves=3)' ").out,
      AllOf(HasSubstr("sinusoidal"), HasSubstr("fails"), HasSubstr("report.html")));
  for (const std::string name :
       {"resolved.cfg", "manifest.json", "table.md", "table.csv", "curves.svg", "report.html",
        "cells/none/seed-2/metrics.jsonl", "cells/none/seed-2/checkpoint.safetensors"}) {
    EXPECT_FALSE(file("run/" + name).empty()) << name;
  }
  const CellResult cell = result("learned");
  ASSERT_EQ(wholes(cell).size(), 2U);
  EXPECT_FALSE(wholes(cell)[0].failed);
  EXPECT_TRUE(wholes(cell)[1].failed);
  EXPECT_THAT(wholes(cell)[1].why, HasSubstr("sequence length 32 exceeds max_seq_len 16"));
}

TEST(ExtrapolationProgram, SaysHowANumberPastATableCame) {
  const Outcome outcome =
      extrapolate(one_seed +
                  "--compare.model.encoding='learned(overflow=clamp),learned(overflow=interpolate),"
                  "learned(overflow=untrained)' --out run");
  for (const std::string mode : {"clamp", "interpolate", "untrained"}) {
    EXPECT_THAT(outcome.out, HasSubstr("overflow = " + mode));
    EXPECT_FALSE(wholes(result("learned_overflow=" + mode))[1].failed);
  }
}

}  // namespace
}  // namespace ordinal::experiments::testing
