// The programs as run by a user: what they say before, what they leave, and how they go on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/results/npy.h"
#include "experiments/settings/config_file.h"
#include "experiments/tasks/task.h"
#include "framework/positional/positional_encoding.h"
#include "tests/experiments/drivers/experiment.h"

namespace ordinal::experiments::testing {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

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

TEST(Programs, ADryRunWritesNothing) {
  EXPECT_THAT(extrapolate(tiny + "--dry-run --out run").out,
              AllOf(HasSubstr("3 cells = 1 row × 3 seeds, 3 trainings"), HasSubstr("FLOPs"), HasSubstr("MB"),
                    HasSubstr("to score")));
  EXPECT_THAT(
      run_program("train", tiny + "--dry-run --out run").out,
      AllOf(HasSubstr("block.0.attention.qkv.weight"), HasSubstr("1 cell = 1 row × 1 seed, 1 training\n"),
            HasSubstr("FLOPs"), HasSubstr("MB"), HasSubstr("scored at lengths 1x, 2x")));
  EXPECT_THAT(run_program("encoding", "--dry-run --out run").out, HasSubstr("would be written to run\n"));
  EXPECT_EQ(run_program("train", "--dry-run --model.d_model=1000000000 --out run").exit_code, 2);
  EXPECT_THAT(extrapolate(steps + "--dry-run --model.d_model=65536 --model.layers=1000").out,
              HasSubstr("warning: out of memory: this run needs about "));
  for (const std::string key : {"train.steps", "train.learning_rate"})
    EXPECT_THAT(extrapolate(tiny + "--dry-run --train.warmup=0 --" + key + "=0").out,
                HasSubstr("warning: sinusoidal: " + key + " = 0: weights keep their initial values\n"));
  EXPECT_FALSE(exists("run"));
}

// Killed after a checkpoint, and asked to stop in the middle of the growth of its lengths: both resume to the same bits as an
// uninterrupted run.
TEST(TrainProgram, ContinuesAfterAKillToTheSameBits) {
  const std::string run = tiny +
                          "--train.steps=2000 --train.checkpoint_every=100 --train.accumulate=2 "
                          "--task.lengths='growing(from=2, until=1)' ";
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
}

// A model of bytes writes any of them, and may stop within a letter.
TEST(GenerateProgram, WritesWholeLetters) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += "größer ";
  write("text.txt", text);
  train(steps + "--task.name=text --task.file=text.txt --out run");
  const std::string generate = "--quiet --model run/checkpoint.safetensors --generate.length=";
  for (const std::string prompt : {"größer", "gr\xC3", "\xE2\x82\xAC\xF0\x9F\x98"}) {
    for (const std::string length : {"1", "200"}) {
      const std::string out =
          run_well("generate", generate + length + " --generate.prompt='" + prompt + "'").out;
      EXPECT_EQ(out, whole_letters(out)) << length;
    }
  }
  EXPECT_THAT(run_well("generate", generate + "1 --generate.prompt='größer €'").out,
              ::testing::StartsWith("größer €"));
}

// What the checks of every block show of a model, of the programs: each token is the likeliest after those before it.
TEST(BlockSlow, GeneratesWithTheCacheWhatTheWholeTextSays) {
  train(tiny +
        "--model.layers=2 --model.encoding=rope --model.block='conv(kernel=4), lstm, "
        "attention(window=8, qk_norm=rmsnorm), gated_linear(activation=silu)' --out run");
  constexpr std::size_t prompt = 3;
  const Outcome text = run_well("generate",
                                "--quiet --model run/checkpoint.safetensors --generate.temperature=0 "
                                "--generate.prompt='=Kd' --generate.length=40");
  const std::vector<Token> tokens =
      task_alphabet(parse_part("language")).encode(text.out.substr(0, prompt + 40));
  const std::vector<std::int64_t> wide(tokens.begin(), tokens.end());
  write_npy(own_folder() / "t.npy", {1, std::ssize(wide)}, std::span<const std::int64_t>(wide));
  run_well("parity", "--quiet --model run/checkpoint.safetensors --tokens t.npy --targets t.npy --out whole");
  const std::vector<float> logits = SafetensorsFile(own_folder() / "whole").values<float>("logits");
  const std::size_t width = logits.size() / tokens.size();
  for (std::size_t i = prompt; i < tokens.size(); ++i) {
    const auto row = std::span(logits).subspan((i - 1) * width, width);
    EXPECT_GT(row[static_cast<std::size_t>(tokens[i])], *std::ranges::max_element(row) - 1e-4F) << i;
  }
}

// ---- What train leaves beside its checkpoint

TEST(TrainingReport, IsThatOfAnExperimentOfOneRow) {
  const std::string both = tiny + "--evaluate.conditions='trained,window(size=8)' ";
  EXPECT_THAT(train(both + "--model.encoding=learned --out one").out,
              AllOf(HasSubstr("fails: sequence length"), HasSubstr("report: one/report.html\n")));
  extrapolate(both + "--compare.model.encoding=learned --experiment.seeds=1, --out run");
  EXPECT_EQ(without_seconds("one/result.json"), without_seconds("run/cells/learned/seed-1/result.json"));
  for (const std::string name : {"table.csv", "seeds.csv", "references.csv", "manifest.json"})
    EXPECT_EQ(file("one/" + name), file("run/" + name)) << name;
  EXPECT_THAT(file("one/report.html"),
              AllOf(HasSubstr("Trained on sequences of length 16, how does learned do on longer ones?"),
                    HasSubstr("./experiments/run train --quiet"), HasSubstr("data-picture=\"attention\""),
                    HasSubstr("Inside the models")));
}

TEST(TrainingReport, DrawsTheLongestLengthThatTheFirstConditionTestsWhole) {
  const auto lengths_drawn = [](const std::string& conditions) {
    train(tiny + "--evaluate.conditions='" + conditions + "' --out run");
    const std::string page = file("run/report.html");
    std::filesystem::remove_all(own_folder() / "run");
    const std::string tag = "data-picture=\"attention\" data-length=\"";
    return std::pair(page.find(tag + "16\"") != page.npos, page.find(tag + "32\"") != page.npos);
  };
  EXPECT_EQ(lengths_drawn("window(size=8),truncated"), std::pair(true, true));
  EXPECT_EQ(lengths_drawn("truncated,window(size=8)"), std::pair(true, false));
}

// Its options in full, which a checkpoint holds, are longer than the name of a file may be.
TEST(TrainingReport, NamesARowOfNestedEncodingsAsItIsWritten) {
  const std::string row = "tupe(embedding=sinusoidal)+learned@random_shift:contiguous";
  train(steps + "--model.encoding='" + row + "' --out run");
  EXPECT_EQ(column("row"), (std::vector<std::string>{row}));
  EXPECT_TRUE(exists("run/figures/tupe_embedding=sinusoidal+learned@random_shift:contiguous-bias.svg"));
  EXPECT_THAT(train(steps + "--model run/checkpoint.safetensors --out tuned").out,
              HasSubstr("\ntupe+learned@random_shift:contiguous "));
  EXPECT_EQ(column("row", "tuned/table.csv"),
            (std::vector<std::string>{"tupe+learned@random_shift:contiguous"}));
}

// ---- Benchmark

TEST(Benchmark, SaysHowFastAStepIsWhereTheTimeGoesAndWhatEachEncodingCosts) {
  const std::string said = run_well("benchmark",
                                    "--quiet --benchmark.sizes=tiny --benchmark.encodings=tiny "
                                    "--benchmark.steps=1")
                               .out;
  EXPECT_THAT(said, ContainsRegex("\ntiny( +[0-9.]+){3} +[0-9]+%\n"));
  EXPECT_THAT(said, ContainsRegex("  feed_forward [1-9][0-9]*%"));
  EXPECT_THAT(said, HasSubstr("as a multiple of none: tiny\n"));
  for (const std::string& encoding : encodings().names())
    EXPECT_THAT(said, ContainsRegex("\n" + encoding + " +[0-9.]+\n"));
  EXPECT_EQ(error_of("benchmark", "--benchmark.sizes=huge --benchmark.encodings=x", 2),
            "benchmark: benchmark.sizes: got 'huge', expected tiny, small, medium or big\n"
            "benchmark: benchmark.encodings: got 'x', expected tiny, small, medium or big\n");
}

// ---- Plans

TEST(ExperimentPlan, CountsTheTrainingsThatChooseValues) {
  const std::string two_rows = tiny + "--dry-run --experiment.seeds=2 --compare.model.encoding=none,rope ";
  const std::string tuned = extrapolate(two_rows + "--compare.tune.train.learning_rate=0.1,0.2,0.3").out;
  EXPECT_THAT(tuned,
              AllOf(HasSubstr("4 cells = 2 rows × 2 seeds, 4 trainings, after 6 that choose values"),
                    HasSubstr("on seed 1000, the best train.learning_rate for each row: 0.1, 0.2, 0.3")));
  const std::string plain = extrapolate(two_rows).out;
  EXPECT_THAT(plain, Not(HasSubstr("choose")));
  const auto teraflops = [&](const std::string& text) {
    return std::stod(text.substr(text.find("all trainings: ") + 15));
  };
  EXPECT_NEAR(teraflops(tuned) / teraflops(plain), 10.0 / 4.0, 0.02);
}

TEST(TrainProgram, SaysThatItLeavesOutTheRows) {
  write("a.cfg", "[compare]\nmodel.encoding = rope, none\ntrain.batch = 2, 4\n[row more]\ntrain.batch = 8\n");
  EXPECT_THAT(train(tiny + "--config a.cfg --dry-run").out,
              ::testing::StartsWith(
                  "trains the settings outside of rows, without the 5 rows of [compare] and [row …]\n"));
  EXPECT_THAT(train(tiny + "--dry-run").out, Not(HasSubstr("outside of rows")));
}

TEST(PositionsInForce, AreShownByEveryProgram) {
  const std::string yarn = "--model.encoding=rope@yarn ";
  const std::string expected = "positions yarn, s 1 (as contiguous), in the test yarn, s 2, α 1, β ";
  EXPECT_THAT(run_program("train", tiny + yarn + "--dry-run").out, HasSubstr(expected));
  std::string aloud = tiny;
  aloud.erase(aloud.find("--quiet"), 7);
  const Outcome outcome = run_program("train", aloud + yarn + "--out run");
  EXPECT_THAT(outcome.out + outcome.err, HasSubstr(expected));
  EXPECT_THAT(
      run_program("generate", "--model run/checkpoint.safetensors --generate.length=63 --dry-run").out,
      HasSubstr("positions yarn, s 4, α 1, β "));
  EXPECT_THAT(run_program("encoding", "--encoding.name='rope(base=500)@ntk(scale=4)' --dry-run").out,
              AllOf(HasSubstr("positions: ntk, s 4\n"), HasSubstr("constants: base 500")));
}

TEST(ExperimentPlan, ListsRowsSharedTrainingsAndPositionsInForce) {
  write("a.cfg", interpolated + "[compare]\nmodel.encoding = rope, rope(base=500)\n");
  EXPECT_THAT(extrapolate(one_seed + "--config a.cfg --experiment.seeds=2 --dry-run --out run").out,
              AllOf(HasSubstr("8 cells = 4 rows × 2 seeds, 6 trainings\n"),
                    ContainsRegex("\nrope +[0-9]+ +20 × 4 × 16 +[0-9.e-]+ +[0-9.]+ MB +[+] [0-9.]+ MB\n"
                                  "  positions contiguous\n"),
                    ContainsRegex("\nrope.base=500. .*\n  positions contiguous; base 500"),
                    ContainsRegex("\ninterpolated +[0-9]+ +20 × 4 × 16 +shared"),
                    ContainsRegex("\nfine-tuned +[0-9]+ +20 × 4 × 16 +shared .*\n"
                                  "  positions contiguous, in the test interpolated, s 2\n"
                                  "  then fine-tuned +[0-9]+ +6 × 4 × 32 +[0-9.e-]+")));
  EXPECT_FALSE(exists("run"));
}

}  // namespace
}  // namespace ordinal::experiments::testing
