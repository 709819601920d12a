// The same settings give the same results: with other numbers of threads, from a saved config, after an
// interruption.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/experiments/drivers/program.h"

namespace ordinal::experiments::testing {
namespace {

using ::testing::HasSubstr;

nlohmann::json result_without_seconds(const std::string& out, const std::string& encoding) {
  auto result = nlohmann::json::parse(file(out + "/cells/" + encoding + "/seed-1/result.json"));
  result.erase("seconds");
  result.erase("hash");
  return result;
}

const std::string two_cells = tiny + "--experiment.seeds=1 --positional.encodings=sinusoidal,none ";

TEST(Repeat, AnExperimentHasEqualScoresForOneTwoAndThreeThreads) {
  for (const std::string threads : {"1", "2", "3"}) {
    const Outcome outcome = run_program(
        "extrapolation", two_cells + "--model.dropout=0.1 --threads=" + threads + " --out t" + threads);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  }
  for (const std::string encoding : {"sinusoidal", "none"}) {
    EXPECT_EQ(result_without_seconds("t1", encoding), result_without_seconds("t2", encoding));
    EXPECT_EQ(result_without_seconds("t1", encoding), result_without_seconds("t3", encoding));
  }
}

TEST(Repeat, TrainingFromItsResolvedConfigGivesTheSameBytes) {
  const std::string wide =
      "--train.optimizer=sgd --train.accumulate=2 --task.name=reverse --train.schedule=linear ";
  ASSERT_EQ(run_program("train", tiny + wide + "--out first").exit_code, 0);
  ASSERT_EQ(run_program("train", "--quiet --config first/resolved.cfg --out second").exit_code, 0);
  EXPECT_EQ(file("first/checkpoint.safetensors"), file("second/checkpoint.safetensors"));
  EXPECT_EQ(file("first/resolved.cfg"), file("second/resolved.cfg"));
}

TEST(Repeat, TheCommandOfAReportIsQuotedForAShell) {
  ASSERT_EQ(run_program("extrapolation",
                        steps + "--experiment.seeds=1 --positional.encodings=none --out \"a 'b';\\$c\"")
                .exit_code,
            0);
  EXPECT_THAT(
      file("a 'b';$c/report.html"),
      HasSubstr(
          "<pre>./experiments/run &#39;a &#39;\\&#39;&#39;b&#39;\\&#39;&#39;;$c/resolved.cfg&#39;</pre>"));
}

// The default warm-up is longer than this run: its shortened value is saved.
TEST(Repeat, AShortRunOfTheShippedConfigCanBeRepeated) {
  const std::string small =
      "--quiet --model.d_model=16 --model.layers=1 --model.heads=2 --train.batch=4 --experiment.seeds=1 "
      "--positional.encodings=none --evaluate.batches=1 --evaluate.lengths=1x ";
  const std::string shipped = "--config " + (source_folder() / "configs/extrapolation.cfg").string() + " ";
  const Outcome first = run_program("extrapolation", shipped + small + "--train.steps=10 --out first");
  ASSERT_EQ(first.exit_code, 0) << first.err;
  const Outcome again = run_program("extrapolation", "--quiet --config first/resolved.cfg --out second");
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(result_without_seconds("first", "none"), result_without_seconds("second", "none"));
}

TEST(Repeat, AConfigWrittenForOneProgramIsAcceptedByAll) {
  ASSERT_EQ(run_program("train", tiny + "--train.steps=2 --train.warmup=1 --out run").exit_code, 0);
  for (const std::string program : {"extrapolation", "train", "encoding", "benchmark"}) {
    const Outcome outcome = run_program(program, "--config run/resolved.cfg --dry-run --out x");
    if (program == "benchmark") {
      EXPECT_THAT(outcome.err, HasSubstr("unknown option --out"));
      EXPECT_EQ(run_program(program, "--config run/resolved.cfg --dry-run").exit_code, 0);
    } else {
      EXPECT_EQ(outcome.exit_code, 0) << program << outcome.err;
    }
  }
  EXPECT_EQ(run_program("generate", "--config run/resolved.cfg --model run/checkpoint.safetensors").exit_code,
            0);
}

TEST(Repeat, QuietLeavesNothingOnStderr) {
  const Outcome outcome = run_program("train", tiny + "--out run");
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out, HasSubstr("checkpoint: run/checkpoint.safetensors"));
}

TEST(Repeat, OtherEvaluationSettingsScoreAgainWithoutTraining) {
  ASSERT_EQ(run_program("extrapolation", two_cells + "--out run").exit_code, 0);
  const std::string weights = file("run/cells/none/seed-1/checkpoint.safetensors");
  const auto written =
      std::filesystem::last_write_time(own_folder() / "run/cells/none/seed-1/checkpoint.safetensors");
  ASSERT_EQ(run_program("extrapolation", two_cells + "--evaluate.lengths=1x,2x,3x --out run").exit_code, 0);
  EXPECT_EQ(result_without_seconds("run", "none").at("scores").size(), 3U);
  EXPECT_EQ(file("run/cells/none/seed-1/checkpoint.safetensors"), weights);
  EXPECT_EQ(std::filesystem::last_write_time(own_folder() / "run/cells/none/seed-1/checkpoint.safetensors"),
            written);
}

TEST(Repeat, AMissingCellIsTrainedAndTheOthersStay) {
  ASSERT_EQ(run_program("extrapolation", two_cells + "--out run").exit_code, 0);
  const auto before = contents("run/cells");
  const std::string table = file("run/table.csv");
  std::filesystem::remove_all(own_folder() / "run/cells/none");
  ASSERT_EQ(run_program("extrapolation", two_cells + "--out run").exit_code, 0);
  EXPECT_EQ(file("run/table.csv"), table);
  EXPECT_EQ(contents("run/cells/sinusoidal"), [&] {
    auto kept = before;
    std::erase_if(kept, [](const auto& entry) { return entry.first.find("/none/") != std::string::npos; });
    return kept;
  }());
}

TEST(Repeat, NoStepsLeaveAnUntrainedModel) {
  ASSERT_EQ(run_program("train", tiny + "--train.steps=0 --train.warmup=0 --out run").exit_code, 0);
  EXPECT_EQ(run_program("generate", "--model run/checkpoint.safetensors").exit_code, 0);
}

// Asked to stop by either signal, in the middle of a cell: exit code, the command, and the same result later.
TEST(RepeatSlow, AnInterruptedExperimentEndsWithTheSameResults) {
  const std::string run = two_cells + "--train.steps=2000 ";
  ASSERT_EQ(run_program("extrapolation", run + "--out whole").exit_code, 0);
  for (const std::string signal : {"INT", "TERM"}) {
    const Outcome stopped = run_until(signal + "/cells/none/seed-1/metrics.jsonl", signal, "extrapolation",
                                      run + "--out " + signal);
    EXPECT_EQ(stopped.exit_code, signal == "INT" ? 130 : 143) << stopped.err;
    EXPECT_THAT(stopped.err, HasSubstr("Continue with:\n"));
    EXPECT_FALSE(std::filesystem::exists(own_folder() / signal / "report.html"));
    ASSERT_EQ(run_program("extrapolation", run + "--out " + signal).exit_code, 0);
    for (const std::string encoding : {"sinusoidal", "none"}) {
      EXPECT_EQ(result_without_seconds("whole", encoding), result_without_seconds(signal, encoding));
    }
  }
}

}  // namespace
}  // namespace ordinal::experiments::testing
