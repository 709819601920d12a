// The same settings give the same results: with other numbers of threads, from a saved config, after an
// interruption.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "tests/experiments/drivers/experiment.h"

namespace ordinal::experiments::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string two_cells = tiny + "--experiment.seeds=1 --compare.model.encoding=sinusoidal,none ";

TEST(Repeat, TrainingFromItsResolvedConfigGivesTheSameBytes) {
  const std::string wide =
      "--train.optimizer=sgd --train.accumulate=2 --task.name=reverse --train.schedule=linear ";
  train(tiny + wide + "--out first");
  train("--quiet --config first/resolved.cfg --out second");
  EXPECT_EQ(file("first/checkpoint.safetensors"), file("second/checkpoint.safetensors"));
  EXPECT_EQ(file("first/resolved.cfg"), file("second/resolved.cfg"));
}

// The checkpoint from which it started is one of its settings.
TEST(Repeat, FineTuningFromItsResolvedConfigGivesTheSameBytes) {
  train(tiny + "--model.encoding=rope --out first");
  for (const std::string other : {"--train.steps=9 ", "--finetune.encoding=alibi"}) {
    train("--model first/checkpoint.safetensors " + steps + other + " --out tuned");
    train("--config tuned/resolved.cfg --out again");
    EXPECT_EQ(file("tuned/checkpoint.safetensors"), file("again/checkpoint.safetensors")) << other;
    EXPECT_EQ(file("tuned/resolved.cfg"), file("again/resolved.cfg"));
    expect_refused(
        "extrapolation", "--config tuned/resolved.cfg",
        "tuned/resolved.cfg:1: model: got first/checkpoint.safetensors, from which train starts, not "
        "extrapolation (start train with this file)");
    run_well("evaluate", "--config tuned/resolved.cfg --model again/checkpoint.safetensors --out scores");
    for (const char* folder : {"tuned", "again", "scores"})
      std::filesystem::remove_all(own_folder() / folder);
  }
}

TEST(Repeat, TheCommandOfAReportIsQuotedForAShell) {
  extrapolate(steps + "--experiment.seeds=1 --compare.model.encoding=none --out \"a 'b';\\$c\"");
  EXPECT_THAT(
      file("a 'b';$c/report.html"),
      HasSubstr("<pre>./experiments/run &#39;a &#39;\\&#39;&#39;b&#39;\\&#39;&#39;;$c/resolved.cfg&#39; "
                "--out=&#39;a &#39;\\&#39;&#39;b&#39;\\&#39;&#39;;$c&#39;</pre>"));
}

TEST(Repeat, QuietLeavesNothingOnStderr) {
  const Outcome outcome = run_program("train", tiny + "--out run");
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out, HasSubstr("checkpoint: run/checkpoint.safetensors"));
}

// The files of all cells and trainings of 2000 steps, without times.
std::map<std::string, std::string> cells(const std::string& out) {
  std::map<std::string, std::string> files;
  const auto folder = own_folder() / out;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    const std::string name = std::filesystem::relative(entry.path(), folder).string();
    if (!name.starts_with("cells/") && name.find("-2000/") == std::string::npos) continue;
    std::string& text = files[name] = read_file(entry.path());
    if (name.ends_with("result.json")) text = without_seconds(out + "/" + name).dump();
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
  const std::string run = rows + "--train.steps=2000 ";
  extrapolate(run + "--out direct");
  extrapolate(rows + "--train.steps=1250 --out grown");
  extrapolate(run + "--out grown");
  EXPECT_THAT(differences("direct", "grown"), IsEmpty());
  const std::string training = "/cells/sinusoidal_learning_rate=1e-3/seed-1/metrics.jsonl";
  for (const std::string signal : {"KILL", "TERM"})
    run_until("killed" + training, signal, "extrapolation", run + "--out killed", signal == "KILL" ? 8 : 20);
  extrapolate(run + "--out killed");
  EXPECT_THAT(differences("direct", "killed"), IsEmpty());
  run_at_once(2, "extrapolation", run + "--out twice");
  EXPECT_THAT(differences("direct", "twice"), IsEmpty());
}

// ---- Results that were put together from different runs, or lost

const std::string one_row = one_seed + "--compare.model.encoding=none --out run ";
const std::string cell = "run/cells/none/seed-1/";

TEST(Checkpoints, ThatAreGoneOrNotThoseThatWereScoredAreNamedInTheReport) {
  const std::string two = without("experiment.seeds", one_row) + " --experiment.seeds=2";
  extrapolate(two);
  const std::string first = checkpoint_of(cell);
  const std::string second = checkpoint_of("run/cells/none/seed-2");
  std::filesystem::remove(own_folder() / first);
  extrapolate(two);
  EXPECT_THAT(file("run/report.html"),
              AllOf(HasSubstr("none: models that are missing"), HasSubstr("Seed 1: ")));
  EXPECT_FALSE(exists(first));
  std::filesystem::copy_file(own_folder() / second, own_folder() / first);
  extrapolate(two);
  EXPECT_THAT(file("run/report.html"), HasSubstr("does not hold the weights that were scored"));
}

// Links are relative, and where there are none, copies do.
TEST(Results, CanBeMovedAndCopied) {
  extrapolate(one_row);
  std::filesystem::rename(own_folder() / "run", own_folder() / "moved");
  std::filesystem::copy(own_folder() / "moved", own_folder() / "run",
                        std::filesystem::copy_options::recursive);
  EXPECT_FALSE(std::filesystem::is_symlink(own_folder() / (cell + "checkpoint.safetensors")));
  EXPECT_TRUE(std::filesystem::is_symlink(own_folder() / "moved/cells/none/seed-1/checkpoint.safetensors"));
  for (const std::string folder : {"run", "moved"}) {
    const auto trained = everything(folder + "/trainings");
    const auto scored = everything(folder + "/cells");
    extrapolate(one_row + "--out " + folder);
    EXPECT_EQ(everything(folder + "/trainings"), trained);
    EXPECT_EQ(everything(folder + "/cells"), scored);
    run_well("evaluate",
             "--quiet --model " + folder + "/cells/none/seed-1/checkpoint.safetensors --out " + folder + "2");
  }
  EXPECT_EQ(file("run2/table.csv"), file("moved2/table.csv"));
}

TEST(Results, OfAnEarlierVersionAreRefused) {
  extrapolate(one_row);
  std::filesystem::remove_all(own_folder() / "run/trainings");
  expect_refused("extrapolation", one_row,
                 "run: its results have no trainings/, as those of earlier versions; choose another --out, "
                 "or remove it");
}

// The first one still trains when its folder is taken away and the second one begins; it saves at its end.
TEST(TwoRuns, AFolderThatIsBegunAgainIsThatOfTheSecond) {
  const std::string first = tiny + "--train.log_every=2000 --train.checkpoint_every=2000 --train.steps=2000 ";
  const std::string command =
      "cd '" + own_folder().string() + "' && { " + started("train", first + "--out run") +
      " >first.txt 2>&1 & until [ -s run/metrics.jsonl ]; do sleep 0.02; done; mv run gone; " +
      started("train", tiny) + "--out run >second.txt 2>&1 || exit 99; wait $!; }";
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 2) << file("second.txt");
  EXPECT_THAT(file("first.txt"), AllOf(HasSubstr("train: run: the folder or its .lock was removed"),
                                       HasSubstr("nothing more is written")));
  EXPECT_EQ(std::ranges::count(file("first.txt"), '\n'), 1);
  train(tiny + "--out alone");
  EXPECT_EQ(file("run/checkpoint.safetensors"), file("alone/checkpoint.safetensors"));
  EXPECT_EQ(file("run/resolved.cfg"), file("alone/resolved.cfg"));
}

TEST(Checkpoints, ThatAreLinksAreReplacedThemselves) {
  const std::string run = tiny + "--out run --train.steps=";
  train(run + "20");
  const std::string link = "run/checkpoint.safetensors";
  std::filesystem::copy_file(own_folder() / link, own_folder() / "kept.safetensors");
  std::filesystem::remove(own_folder() / link);
  std::filesystem::create_symlink("../kept.safetensors", own_folder() / link);
  const std::string kept = file("kept.safetensors");
  train(run + "50");
  EXPECT_EQ(metadata("run", "step"), "50");
  EXPECT_TRUE(file("kept.safetensors") == kept);
}

TEST(Results, MayHoldAFolderWithALockOfItsOwn) {
  const std::string trained = steps + "--model.encoding=none";
  train(trained + " --out run");
  train(trained + " --model run/checkpoint.safetensors --out run/tuned");
  train(trained + " --out run");
}

}  // namespace
}  // namespace ordinal::experiments::testing
