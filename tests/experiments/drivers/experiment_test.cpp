// An experiment as a user runs it: rows that differ in any settings, trainings that rows share, and results of earlier
// runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "experiments/experiment/cell.h"
#include "tests/experiments/drivers/experiment.h"

namespace ordinal::experiments::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// ---- Rows

TEST(RowsSlow, FromAConfigGiveTheSameTableFromTheResolvedOne) {
  write("a.cfg",
        "[compare]\nmodel.norm = layernorm, rmsnorm\n[row small, slow]\nmodel.d_model = 8\n"
        "train.learning_rate = 1e-4\n");
  extrapolate(one_seed + "--config a.cfg --out run");
  EXPECT_THAT(column("row"), ElementsAre("norm = layernorm", "norm = rmsnorm", "small, slow"));
  EXPECT_EQ(metadata("run/cells/small_slow/seed-1", "train.learning_rate"), "0.0001");
  extrapolate("--quiet --config run/resolved.cfg --out again");
  EXPECT_EQ(file("run/table.csv"), file("again/table.csv"));
  EXPECT_EQ(file("run/resolved.cfg"), file("again/resolved.cfg"));
}

TEST(RowsSlow, OfSeveralTasksHaveTheReadersOfEach) {
  extrapolate(one_seed + "--compare.task.name=copy,reverse --out run");
  for (const std::string task : {"copy", "reverse"}) {
    extrapolate(one_seed + "--task.name=" + task + " --out " + task);
    std::istringstream lines(file(task + "/references.csv"));
    std::string line;
    std::getline(lines, line);  // the headings
    while (std::getline(lines, line))
      EXPECT_THAT(file("run/references.csv"), HasSubstr(line.insert(line.find(','), " of " + task)));
  }
}

// ---- Trainings

const std::string tests_of_rope = "--compare.model.encoding=rope,rope@contiguous:ntk,rope@contiguous:yarn ";

TEST(SharedTrainingSlow, ServesRowsThatDifferInTheTestAlone) {
  extrapolate(one_seed + tests_of_rope + "--out run");
  EXPECT_EQ(trainings().size(), 1U);
  EXPECT_EQ(weights("rope"), weights("rope@contiguous:ntk"));
  EXPECT_EQ(weights("rope"), weights("rope@contiguous:yarn"));
  EXPECT_EQ(values("rope")[0], values("rope@contiguous:yarn")[0]);
  EXPECT_NE(values("rope")[1], values("rope@contiguous:ntk")[1]);
  EXPECT_NE(values("rope")[1], values("rope@contiguous:yarn")[1]);
  extrapolate(one_seed + "--compare.model.encoding=rope@contiguous:yarn --out alone");
  EXPECT_EQ(without_seconds("run/cells/rope@contiguous:yarn/seed-1/result.json"),
            without_seconds("alone/cells/rope@contiguous:yarn/seed-1/result.json"));
}

TEST(SharedTrainingSlow, IsKeptWhenARowIsAddedInFront) {
  extrapolate(one_seed + "--compare.model.encoding=rope --out run");
  const std::string checkpoint = "run/cells/rope/seed-1/checkpoint.safetensors";
  const auto before = written_at(checkpoint);
  EXPECT_THAT(
      extrapolate(with_progress + "--compare.model.encoding=none,rope@contiguous:ntk,rope --out run").err,
      HasSubstr("rope seed 1  already done, skipped"));
  EXPECT_EQ(written_at(checkpoint), before);
  EXPECT_EQ(trainings().size(), 2U);
  EXPECT_THAT(column("row"), ElementsAre("none", "rope@contiguous:ntk", "rope"));
}

TEST(SharedTrainingSlow, ThatWasInterruptedIsContinuedForAnyRow) {
  const std::string run = one_seed + "--train.steps=2000 --train.checkpoint_every=100 ";
  run_until("run/cells/rope/seed-1/metrics.jsonl", "INT", "extrapolation",
            run + "--compare.model.encoding=rope --out run", 3);
  extrapolate(run + "--compare.model.encoding=rope@contiguous:ntk,rope --out run");
  EXPECT_EQ(trainings().size(), 1U);
  extrapolate(run + "--compare.model.encoding=rope@contiguous:ntk,rope --out whole");
  EXPECT_EQ(file("run/table.csv"), file("whole/table.csv"));
  EXPECT_EQ(weights("rope"), weights("rope", "whole"));
}

TEST(SharedTrainingSlow, ServesExperimentsOfOneFolder) {
  const std::string rows = one_seed + "--compare.model.encoding=rope,none --out run ";
  extrapolate(rows);
  const std::string table = file("run/table.csv");
  const auto trained = everything("run/trainings");
  extrapolate(rows + "--train.clip=2");
  EXPECT_EQ(trainings().size(), 4U);
  extrapolate(rows);
  EXPECT_EQ(file("run/table.csv"), table);
  Entries all = everything("run/trainings");
  for (const auto& [name, entry] : trained) EXPECT_EQ(all[name], entry) << name;
}

// ---- Settings that invalidate results

TEST(ResultsSlow, AreKeptWhenThePicturesCannotBeWritten) {
  extrapolate(one_seed + "--compare.model.encoding=none --out out");
  const auto picture = own_folder() / "out/figures/none-attention-1-at-16.svg";
  EXPECT_TRUE(std::filesystem::remove(picture));
  std::filesystem::create_directories(picture / "folder");
  const Outcome outcome =
      run_program("extrapolation", tiny + "--compare.model.encoding=none --experiment.seeds=2 --out out");
  EXPECT_NE(outcome.exit_code, 0);
  for (const char* seed : {"1", "2"})
    EXPECT_TRUE(std::filesystem::exists(own_folder() / "out/cells/none" / (std::string("seed-") + seed) /
                                        "result.json"));
}

TEST(ResultsSlow, OfASharedTrainingAreScoredAgainForAnotherTest) {
  write("a.cfg", "[row stretched]\nmodel.encoding = rope@contiguous:ntk\n");
  write("b.cfg", "[row stretched]\nmodel.encoding = rope@contiguous:yarn\n");
  extrapolate(one_seed + "--config a.cfg --out run");
  const std::vector<double> before = values("stretched");
  const auto trained = everything("run/trainings");
  extrapolate(one_seed + "--config b.cfg --out run");
  EXPECT_EQ(everything("run/trainings"), trained);
  EXPECT_THAT(metadata("run/cells/stretched/seed-1", "model.encoding"), HasSubstr(":yarn("));
  EXPECT_NE(values("stretched"), before);
}

// All rows are scored on as many tokens as a batch of the experiment has, whatever batch their training has.
TEST(ResultsSlow, AreScoredAgainOnOtherExamples) {
  const auto run = [](const std::string& batch, const std::string& out) {
    write("a.cfg", "[train]\nbatch = " + batch + "\n[row a]\nmodel.encoding = none\ntrain.batch = 4\n");
    extrapolate(without("train.batch", one_seed) + "--config a.cfg --out " + out);
  };
  run("8", "run");
  run("16", "run");
  run("16", "at_once");
  EXPECT_EQ(file("run/seeds.csv"), file("at_once/seeds.csv"));
}

// ---- Conditions

// A column of a table is measured on the same tokens for every row, regardless of its training.
TEST(ConditionsSlow, ScoreAllRowsOnTheSameTokens) {
  write("same.cfg",
        "[row short]\nmodel.encoding = rope\n[row long]\nmodel.encoding = rope\nfinetune.steps = 4\n"
        "finetune.length = 4x\nfinetune.learning_rate = 1e-30\n[row small batch]\nmodel.encoding = rope\n"
        "train.batch = 2\n");
  extrapolate(one_seed + "--config same.cfg --evaluate.conditions=trained,window,shifted --out run");
  const std::vector<Whole> short_row = wholes(result("short"));
  for (std::size_t i = 0; i < short_row.size(); ++i) {
    const Whole long_row = wholes(result("long"))[i];
    EXPECT_EQ(long_row.tokens, short_row[i].tokens);
    EXPECT_EQ(wholes(result("small-batch"))[i].tokens, short_row[i].tokens);
    EXPECT_NEAR(long_row.value, short_row[i].value, 1e-6);
  }
}

// "8 window(size=8)", in the order of the scores.
std::vector<std::string> tested(const CellResult& result) {
  std::vector<std::string> all;
  for (const Whole& whole : wholes(result))
    all.push_back(fmt::format("{} {}", whole.length, whole.condition));
  return all;
}

// Other lengths of a condition need no training.
TEST(ConditionsSlow, AreScoredAtTheirLengthsAlone) {
  const std::string run = one_seed + "--compare.model.encoding=rope,learned --out run --evaluate.conditions=";
  extrapolate(run + "'trained,window(size=8)@2x'");
  EXPECT_THAT(tested(result("rope")), ElementsAre("16 trained", "32 trained", "32 window(size=8)"));
  EXPECT_EQ(result("rope").by_position.size(), 3U);
  EXPECT_THAT(file("run/table.md"), HasSubstr("| encoding | 32, trained | 32, window(size=8) |"));
  EXPECT_THAT(file("run/report.html"), ::testing::Not(HasSubstr("under window(size=8)")));  // a curve
  EXPECT_THAT(column("condition", "run/seeds.csv"), ElementsAre("trained", "window(size=8)"));
  const auto before = written_at("run/cells/rope/seed-1/checkpoint.safetensors");
  const std::vector<double> some = values("rope");
  extrapolate(run + "'trained,window(size=8)'");
  EXPECT_THAT(tested(result("rope")),
              ElementsAre("16 trained", "16 window(size=8)", "32 trained", "32 window(size=8)"));
  EXPECT_THAT(values("rope"), ElementsAre(some[0], ::testing::_, some[1], some[2]));
  EXPECT_EQ(written_at("run/cells/rope/seed-1/checkpoint.safetensors"), before);
}

// A picture takes time and memory for all pairs of tokens.
TEST(Pictures, OfAttentionAreOfLengthsThatAreWholeAndNotTooLong) {
  extrapolate(one_seed +
              "--compare.model.encoding=none --evaluate.conditions='window(size=4)' --evaluate.batches=1 "
              "--evaluate.lengths=1x,4x,512x --out run");
  EXPECT_TRUE(exists("run/figures/none-attention-1-at-64.svg"));
  EXPECT_FALSE(exists("run/figures/none-attention-1-at-8192.svg"));
}

}  // namespace
}  // namespace ordinal::experiments::testing
