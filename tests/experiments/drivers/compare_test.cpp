// Two folders of results side by side, as a user compares them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/storage/folder_lock.h"
#include "tests/experiments/drivers/experiment.h"

namespace ordinal::experiments::testing {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

Outcome compare_runs(const std::string& arguments) {
  const Outcome outcome = run_well("compare", arguments);
  return outcome;
}

void compare_refuses(const std::string& arguments, const std::string& line) {
  const Outcome outcome = run_program("compare", arguments);
  EXPECT_EQ(outcome.exit_code, 2) << arguments;
  EXPECT_THAT(outcome.err, StartsWith("compare: " + line)) << arguments;
  EXPECT_EQ(outcome.error_lines(), 1) << outcome.err;
  EXPECT_EQ(outcome.out, "");
}

void copy_folder(const std::string& from, const std::string& to) {
  std::filesystem::remove_all(own_folder() / to);
  std::filesystem::copy(own_folder() / from, own_folder() / to, std::filesystem::copy_options::recursive);
}

const std::string two_seeds = steps + "--experiment.seeds=2 ";

TEST(Compare, ShowsSettingsRowsAndEveryNumber) {
  extrapolate(two_seeds + "--positional.encodings=rope,learned --out a");
  extrapolate(without("train.steps", two_seeds) +
              "--train.steps=6 --positional.encodings=rope,none --evaluate.lengths=1x,3x --out b");
  const auto before = contents(".");
  EXPECT_THAT(compare_runs("a b --out both").out,
              AllOf(HasSubstr("A: a\nB: b\n"), ContainsRegex("train.steps +all +3 +6\n"),
                    ContainsRegex("evaluate.lengths +all +16, 32 +16, 48\n"),
                    ContainsRegex("learned +1, 2 +0/2 +– +–\n"), ContainsRegex("none +– +– +1, 2 +0/2\n"),
                    HasSubstr("perplexity (lower is better), trained"), Not(HasSubstr("nothing"))));
  const auto lines = csv("both/comparison.csv");
  EXPECT_EQ(column("row", "both/comparison.csv"), (std::vector<std::string>{"rope"}));
  EXPECT_EQ(column("length", "both/comparison.csv"), (std::vector<std::string>{"16", "32", "48"}));
  for (const auto& line : lines) {
    if (line.at("metric") != "bits" || line.at("length") != "16") continue;
    double difference = 0.0;
    for (const std::string seed : {"1", "2"}) {
      const std::string cell = "/cells/rope/seed-" + seed + "/result.json";
      difference += cell_from_json(file("b" + cell)).scores[0].find("bits")->value -
                    cell_from_json(file("a" + cell)).scores[0].find("bits")->value;
    }
    EXPECT_NEAR(std::stod(line.at("difference")), difference / 2.0, 1e-12);
    EXPECT_EQ(line.at("pairs"), "2");
    EXPECT_EQ(line.at("low95"), "") << "two seeds have no interval";
  }
  EXPECT_THAT(file("both/comparison.html"),
              AllOf(HasSubstr("<h1>"), HasSubstr("train.steps"), HasSubstr("</html>")));
  std::filesystem::remove_all(own_folder() / "both");
  auto after = contents(".");
  for (const char* stream : {"stdout.txt", "stderr.txt"})
    after[(own_folder() / "." / stream).string()] = before.at((own_folder() / "." / stream).string());
  EXPECT_EQ(after, before) << "the folders are only read";
}

TEST(Compare, TakesTrainingsAndEvaluations) {
  extrapolate(two_seeds + "--positional.encodings=rope,none --out run");
  for (const std::string encoding : {"rope", "alibi"})
    train(steps + "--positional.encoding=" + encoding + " --out " + encoding);
  run_well("evaluate",
           "--quiet --model run/cells/*/seed-*/checkpoint.safetensors --evaluate.batches=2 "
           "--evaluate.lengths=1x,2x --out scored");
  EXPECT_THAT(compare_runs("run scored --out same").out, HasSubstr("No settings differ."));
  for (const auto& line : csv("same/comparison.csv")) {
    if (line.at("pairs") == "0") continue;
    EXPECT_EQ(line.at("difference"), "0") << line.at("metric");
  }
  const std::string trained = compare_runs("rope alibi").out;
  EXPECT_THAT(trained,
              AllOf(HasSubstr("rope / alibi"), ContainsRegex("positional.encoding +all +rope +alibi\n")));
  EXPECT_THAT(compare_runs("run rope").out, ContainsRegex("rope +1, 2 +0/2 +1 +0/1\n"));
}

TEST(Compare, RefusesWhatCannotBeComparedInOneLine) {
  extrapolate(one_seed + "--positional.encodings=rope,none --out a");
  extrapolate(one_seed + "--positional.encodings=rope,none --task.name=copy --out copied");
  extrapolate(one_seed + "--positional.encodings=t5,alibi --out others");
  write("file", "");
  std::filesystem::create_directories(own_folder() / "empty");
  compare_refuses("", "got 0 folders of results, expected two: compare A B (see compare --help)");
  compare_refuses("a a a", "got 3 folders of results, expected two");
  compare_refuses("a nothing", "nothing: no such folder, expected one that ");
  compare_refuses("file a", "file: no such folder, expected one that ");
  compare_refuses("a empty", "empty: it holds no result.json, expected a folder that ");
  compare_refuses(
      "a copied",
      "a and copied cannot be compared: the task of rope is language in one and copy in the other");
  compare_refuses("a others",
                  "a and others have no row of the same name: a has rope; none, and others has t5; alibi");
  EXPECT_EQ(run_program("compare", "nothing empty").error_lines(), 2);
}

TEST(Compare, RefusesDamagedFoldersByTheNameOfTheFile) {
  extrapolate(one_seed + "--positional.encodings=rope,none --out a");
  const std::string cell = "b/cells/rope/seed-1";
  const auto with_file = [&](const std::string& name, const std::string& text) {
    copy_folder("a", "b");
    write(name, text);
  };
  with_file(cell + "/result.json", "{");
  compare_refuses("a b", cell + ": result.json: ");
  with_file("b/manifest.json", "[]");
  compare_refuses("a b", "b/manifest.json: it is damaged");
  with_file("b/manifest.json", std::string(100000, '['));
  compare_refuses("a b", "b/manifest.json: it is nested too deep");
  copy_folder("a", "b");
  std::filesystem::remove(own_folder() / cell / "result.json");
  compare_refuses("a b", "b: it has no result.json of rope, seed 1, which its manifest.json lists");
  auto manifest = nlohmann::json::parse(file("a/manifest.json"));
  manifest["metrics"].erase(0);
  with_file("b/manifest.json", manifest.dump());
  for (const std::string row : {"rope", "none"}) {
    CellResult result = cell_from_json(file("a/cells/" + row + "/seed-1/result.json"));
    for (LengthScore& score : result.scores)
      std::erase_if(score.metrics,
                    [](const Measurement& one) { return one.metric == "contested.accuracy.past"; });
    write("b/cells/" + row + "/seed-1/result.json", to_json(result));
  }
  compare_refuses("a b", "a and b cannot be compared: they are scored by contested.accuracy.past, ");
}

// What a run leaves that scores finished cells again with other settings, and is killed.
TEST(Compare, RefusesScoresOfTwoSettingsInOneFolder) {
  const std::string run = two_seeds + "--positional.encodings=rope,none ";
  extrapolate(run + "--out a");
  const auto mixed = [](const std::vector<std::string>& cells) {
    copy_folder("a", "b");
    for (const std::string& cell : cells) copy_folder("other/cells/" + cell, "b/cells/" + cell);
  };
  extrapolate(without("evaluate.batches", run) + "--evaluate.batches=5 --out other");
  const std::string way_out = ", so not all are scored alike; run the command of its folder again";
  mixed({"rope/seed-2"});
  compare_refuses(
      "a b", "b/cells/rope/seed-2: it has evaluate.batches = 5, but another seed of rope has 2" + way_out);
  mixed({"rope/seed-1", "rope/seed-2"});
  compare_refuses("b a", "b/cells/none/seed-1: it has evaluate.batches = 2, but rope has 5" + way_out);
  {
    const FolderLock writer(own_folder() / "b");
    compare_refuses("a b",
                    "b/cells/rope/seed-1: it has evaluate.batches = 5, but none has 2, so not all are scored "
                    "alike; process ");
  }
  mixed({"rope/seed-1", "rope/seed-2", "none/seed-1", "none/seed-2"});
  EXPECT_THAT(compare_runs("a b").out, ContainsRegex("evaluate.batches +all +2 +5\n"));
  extrapolate(run + "--positional.offset=7 --out other");
  mixed({"none/seed-2"});
  std::filesystem::remove(own_folder() / "b/manifest.json");
  compare_refuses(
      "a b", "b/cells/none/seed-2: it has positional.test_positions = contiguous(offset=7), but another");
}

TEST(Compare, CountsNoCellTwice) {
  extrapolate(two_seeds + "--positional.encodings=rope,none --out a");
  const std::string cells = "/cells/rope/";
  const std::string first = file("a" + cells + "seed-1/result.json");
  compare_refuses("a ./a/", "a and ./a/ are one folder, expected two");
  copy_folder("a", "b");
  copy_folder("a" + cells + "seed-1", "b" + cells + "seed-3");
  compare_refuses("a b",
                  "b/cells/rope/seed-3/result.json: it holds the result of rope, seed 1, and so does "
                  "b/cells/rope/seed-1; remove the copy");
  copy_folder("a", "b");
  CellResult copied = cell_from_json(first);
  copied.seed = 2;
  write("b" + cells + "seed-2/result.json", to_json(copied));
  compare_refuses("a b",
                  "b: its result.json of rope, seed 2, has other weights than its manifest.json lists; run ");
  std::filesystem::remove(own_folder() / "b/manifest.json");
  compare_refuses(
      "a b",
      "b/cells/rope/seed-2: it has the weights of another seed of rope, so it does not count; remove it");
}

TEST(Compare, RefusesFilesThatNoRunWritesByTheirNameAndSize) {
  extrapolate(one_seed + "--positional.encodings=rope,none --out a");
  const std::string cell = "b/cells/rope/seed-1/";
  for (const std::string& name : {std::string("b/manifest.json"), cell + "result.json"}) {
    copy_folder("a", "b");
    std::filesystem::resize_file(own_folder() / name, 100'000'000'000);  // sparse
    compare_refuses("a b", name + ": got 100000.0 MB, expected at most 256 MB\n");
  }
  auto manifest = nlohmann::json::parse(file("a/manifest.json"));
  for (const nlohmann::json& weights : {nlohmann::json::object(), nlohmann::json()}) {
    manifest["weights_hash"] = weights;
    copy_folder("a", "b");
    write("b/manifest.json", manifest.dump());
    compare_refuses("a b", "b/manifest.json: it lists no results; run the command of its folder again");
  }
}

TEST(Compare, SaysThatAFolderIsStillBeingWritten) {
  extrapolate(two_seeds + "--positional.encodings=rope,none --out a");
  copy_folder("a", "b");
  std::filesystem::remove_all(own_folder() / "b/cells/none/seed-2");
  {
    const FolderLock writer(own_folder() / "b");
    const Outcome shown = compare_runs("a b");
    EXPECT_THAT(shown.out,
                ContainsRegex(
                    "B is not complete: process [0-9]+ on .* writes its results there\\. Compared are the 3 "
                    "results it holds\\.\n"));
    EXPECT_THAT(shown.out, ContainsRegex("none +1, 2 +0/2 +1 +0/1\n"));
    std::filesystem::remove_all(own_folder() / "b/cells");
    compare_refuses("a b", "b: process ");
  }
  copy_folder("a", "b");
  std::filesystem::remove(own_folder() / "b/manifest.json");
  EXPECT_THAT(
      compare_runs("a b").out,
      AllOf(HasSubstr("B is not complete: its run was not finished. Compared are the 4 results it holds.\n"),
            ContainsRegex("none +1, 2 +0/2 +1, 2 +–\n"), HasSubstr("perplexity (lower is better)")));
}

}  // namespace
}  // namespace ordinal::experiments::testing
