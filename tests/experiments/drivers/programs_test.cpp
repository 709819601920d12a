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
       {"extrapolation", "train", "evaluate", "generate", "encoding", "parity", "benchmark"}) {
    const Outcome help = run_well(program, "--help");
    EXPECT_THAT(help.out,
                AllOf(HasSubstr("Usage: " + program), HasSubstr("--config FILE"), HasSubstr("Exit code")));
    EXPECT_EQ(help.err, "");
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

TEST(Programs, SayWhichBlasTheyUse) {
  const std::string short_run =
      "--model.d_model=16 --task.train_length=8 --train.steps=1 --evaluate.lengths=1x --evaluate.batches=1 ";
  const Outcome trained = train(short_run + "--out run");
  const std::vector<std::int64_t> tokens(8, 3);
  write_npy(own_folder() / "t.npy", {1, 8}, std::span<const std::int64_t>(tokens));
  const std::string model = "--model run/checkpoint.safetensors ";
  for (const auto& [program, arguments] :
       {std::pair<std::string, std::string>{"generate", model + "--generate.length=5"},
        {"evaluate", model + "--evaluate.lengths=1x --evaluate.batches=1 --threads 1 --out scored"},
        {"encoding", model + "--out drawn"},
        {"parity", model + "--tokens t.npy --targets t.npy --out o"}}) {
    EXPECT_THAT(run_well(program, arguments).err,
                AllOf(HasSubstr("portable products with"), HasSubstr(" for doubles, 1 thread")))
        << program;
    EXPECT_EQ(run_program(program, arguments + " --quiet").err, "") << program;
  }
  EXPECT_THAT(trained.err, HasSubstr(" for doubles, "));
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

TEST(EncodingProgram, DrawsAndExports) {
  run_well("encoding", "--encoding.name=sinusoidal --encoding.seq_len=20 --encoding.d_model=8 --out pe");
  EXPECT_EQ(read_npy(own_folder() / "pe/input.npy").shape, (Shape{20, 8}));
  EXPECT_EQ(read_npy(own_folder() / "pe/gram.npy").shape, (Shape{20, 20}));
  for (const std::string name :
       {"input.svg", "gram.svg", "wavelengths.csv", "rotation_error.csv", "statistics.json"}) {
    EXPECT_FALSE(file("pe/" + name).empty()) << name;
  }
  EXPECT_THAT(run_program("encoding", "--list").out, AllOf(HasSubstr("sinusoidal"), HasSubstr("Vaswani")));
}

const std::string experiment =
    tiny + "--compare.model.encoding=sinusoidal,learned,none --experiment.seeds=2 --out run ";

TEST(ExtrapolationProgram, LeavesAllItsFiles) {
  EXPECT_THAT(extrapolate(experiment).out,
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

TEST(ExtrapolationProgram, SkipsWhatIsDoneAndRepeatsFromItsResolvedConfig) {
  extrapolate(experiment);
  const std::string before = file("run/cells/none/seed-1/result.json");
  const auto written = written_at("run/cells/none/seed-1/result.json");
  extrapolate(experiment);
  EXPECT_EQ(written_at("run/cells/none/seed-1/result.json"), written);
  extrapolate("--quiet --config run/resolved.cfg --out again --threads 1");
  const auto manifest = nlohmann::json::parse(file("run/manifest.json"));
  EXPECT_EQ(manifest.at("weights_hash"),
            nlohmann::json::parse(file("again/manifest.json")).at("weights_hash"));
  EXPECT_EQ(manifest.at("weights_hash").size(), 3U);
  EXPECT_EQ(file("run/table.csv"), file("again/table.csv"));
}

class Overflow : public ::testing::TestWithParam<std::string> {};

TEST_P(Overflow, TrapANumberPastTheTableSaysHowItCame) {
  const Outcome outcome =
      extrapolate(tiny + "--experiment.seeds=1 --compare.model.encoding='learned(overflow=" + GetParam() +
                  ")' --out run");
  EXPECT_THAT(outcome.out, HasSubstr("overflow = " + GetParam()));
  EXPECT_FALSE(wholes(result("learned_overflow=" + GetParam()))[1].failed);
}

INSTANTIATE_TEST_SUITE_P(Modes, Overflow, ::testing::Values("clamp", "interpolate", "untrained"));

}  // namespace
}  // namespace ordinal::experiments::testing
