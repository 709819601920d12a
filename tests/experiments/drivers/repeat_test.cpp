// The same settings give the same results: with other numbers of threads, from a saved config, after an
// interruption.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "tests/experiments/drivers/experiment.h"

namespace ordinal::experiments::testing {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

nlohmann::json cell_result(const std::string& out, const std::string& encoding) {
  return without_seconds(out + "/cells/" + encoding + "/seed-1/result.json");
}

const std::string two_cells = tiny + "--experiment.seeds=1 --compare.model.encoding=sinusoidal,none ";

TEST(Repeat, TrainingFromItsResolvedConfigGivesTheSameBytes) {
  const std::string wide =
      "--train.optimizer=sgd --train.accumulate=2 --task.name=reverse --train.schedule=linear ";
  train(tiny + wide + "--out first");
  train("--quiet --config first/resolved.cfg --out second");
  EXPECT_EQ(file("first/checkpoint.safetensors"), file("second/checkpoint.safetensors"));
  EXPECT_EQ(file("first/resolved.cfg"), file("second/resolved.cfg"));
}

TEST(Repeat, TheCommandOfAReportIsQuotedForAShell) {
  extrapolate(steps + "--experiment.seeds=1 --compare.model.encoding=none --out \"a 'b';\\$c\"");
  EXPECT_THAT(
      file("a 'b';$c/report.html"),
      HasSubstr("<pre>./experiments/run &#39;a &#39;\\&#39;&#39;b&#39;\\&#39;&#39;;$c/resolved.cfg&#39; "
                "--out=&#39;a &#39;\\&#39;&#39;b&#39;\\&#39;&#39;;$c&#39;</pre>"));
}

TEST(Repeat, AConfigWrittenForOneProgramIsAcceptedByAll) {
  train(tiny + "--train.steps=2 --train.warmup=1 --out run");
  for (const std::string program : {"extrapolation", "train", "encoding", "benchmark"}) {
    const Outcome outcome = run_program(program, "--config run/resolved.cfg --dry-run --out x");
    if (program == "benchmark") {
      EXPECT_THAT(outcome.err, HasSubstr("unknown option --out"));
      run_well(program, "--config run/resolved.cfg --dry-run");
    } else {
      EXPECT_EQ(outcome.exit_code, 0) << program << outcome.err;
    }
  }
  run_well("generate", "--config run/resolved.cfg --model run/checkpoint.safetensors");
}

TEST(Repeat, QuietLeavesNothingOnStderr) {
  const Outcome outcome = run_program("train", tiny + "--out run");
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out, HasSubstr("checkpoint: run/checkpoint.safetensors"));
}

TEST(Repeat, OtherEvaluationSettingsScoreAgainWithoutTraining) {
  extrapolate(two_cells + "--out run");
  const std::string weights = file("run/cells/none/seed-1/checkpoint.safetensors");
  const auto written = written_at("run/cells/none/seed-1/checkpoint.safetensors");
  extrapolate(two_cells + "--evaluate.lengths=1x,2x,3x --out run");
  EXPECT_EQ(cell_result("run", "none").at("by_position").size(), 3U);
  EXPECT_EQ(file("run/cells/none/seed-1/checkpoint.safetensors"), weights);
  EXPECT_EQ(written_at("run/cells/none/seed-1/checkpoint.safetensors"), written);
}

TEST(Repeat, AMissingCellIsTrainedAndTheOthersStay) {
  extrapolate(two_cells + "--out run");
  const auto before = contents("run/cells");
  const std::string table = file("run/table.csv");
  std::filesystem::remove_all(own_folder() / "run/cells/none");
  extrapolate(two_cells + "--out run");
  EXPECT_EQ(file("run/table.csv"), table);
  EXPECT_EQ(contents("run/cells/sinusoidal"), [&] {
    auto kept = before;
    std::erase_if(kept, [](const auto& entry) { return entry.first.find("/none/") != std::string::npos; });
    return kept;
  }());
}

TEST(Repeat, NoStepsLeaveAnUntrainedModel) {
  train(tiny + "--train.steps=0 --train.warmup=0 --out run");
  run_well("generate", "--model run/checkpoint.safetensors");
}

// The files of all cells, without times.
std::map<std::string, std::string> cells(const std::string& out) {
  std::map<std::string, std::string> files;
  const auto folder = own_folder() / out / "cells";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    const std::string name = std::filesystem::relative(entry.path(), folder).string();
    std::string& text = files[name] = read_file(entry.path());
    if (name.ends_with("result.json")) text = without_seconds(out + "/cells/" + name).dump();
    if (!name.ends_with("metrics.jsonl")) continue;
    std::istringstream lines(std::exchange(text, ""));
    for (std::string line; std::getline(lines, line);)
      text += line.substr(0, line.find("\"seconds\"")) + "\n";
  }
  return files;
}

std::vector<std::string> differences(const std::string& a, const std::string& b) {
  std::vector<std::string> names;
  auto there = cells(b);
  for (const auto& [name, text] : cells(a)) {
    if (!there.contains(name) || there.at(name) != text) names.push_back(name);
    there.erase(name);
  }
  for (const auto& [name, text] : there) names.push_back(name);
  return names;
}

// The rows with the second rate diverge.
TEST(RepeatSlow, WhatACellHoldsDependsOnItsSettingsAndSeedAlone) {
  const std::string rows =
      without("train.steps", two_cells) +
      "--threads=1 --train.schedule=constant --train.log_every=70 --train.checkpoint_every=100 "
      "--train.optimizer=sgd --train.clip=0 --compare.train.learning_rate=1e-3,1e3 ";
  const std::string run = rows + "--train.steps=2000 --compare.train.score_step=750,1250,2000 ";
  extrapolate(run + "--out direct");
  extrapolate(rows + "--train.steps=1250 --compare.train.score_step=750,1250 --out grown");
  extrapolate(run + "--out grown");
  EXPECT_THAT(differences("direct", "grown"), Each(HasSubstr("/step-750.safetensors")))
      << "which says how long the training was that wrote it";
  const std::string training = "/cells/sinusoidal_learning_rate=1e-3_score_step=750/seed-1/metrics.jsonl";
  for (const std::string signal : {"KILL", "TERM"})
    run_until("killed" + training, signal, "extrapolation", run + "--out killed", signal == "KILL" ? 8 : 20);
  extrapolate(run + "--out killed");
  EXPECT_THAT(differences("direct", "killed"), IsEmpty());
  for (const std::string part : {"2/2", "1/2"}) extrapolate(run + "--out parted --part=" + part);
  EXPECT_THAT(differences("direct", "parted"), IsEmpty());
}

}  // namespace
}  // namespace ordinal::experiments::testing
