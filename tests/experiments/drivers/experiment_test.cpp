// An experiment as a user runs it: rows that differ in any settings, trainings that rows share, test conditions, and
// results of earlier runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/experiments/drivers/experiment.h"

namespace ordinal::experiments::testing {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

// ---- Rows

TEST(RowsSlow, MayDifferInTheWidthOfTheModel) {
  extrapolate(without("model.d_model", one_seed) +
              "--positional.encoding=none --compare.model.d_model=16,32 --out run");
  EXPECT_THAT(column("row"), ElementsAre("d_model = 16", "d_model = 32"));
  EXPECT_THAT(column("model.d_model"), ElementsAre("16", "32"));
  EXPECT_THAT(trainings(), ElementsAre("d_model=16/seed-1", "d_model=32/seed-1"));
  EXPECT_GT(result("d_model=32").parameters, 3 * result("d_model=16").parameters);
  EXPECT_EQ(metadata("run/cells/d_model=32/seed-1", "model.block"),
            "attention, feed_forward(activation=gelu, ff=128)");
  EXPECT_THAT(file("run/report.html"), HasSubstr("d_model = 32"));
  EXPECT_TRUE(std::filesystem::exists(own_folder() / "run/curves.svg"));
  extrapolate(one_seed + "--positional.encodings=none --model.d_model=32 --out alone");
  EXPECT_EQ(weights("d_model = 32"), weights("none", "alone"));
}

TEST(RowsSlow, OfOneEncodingWithThreeBasesShareATable) {
  extrapolate(one_seed +
              "--positional.encodings='rope(base=100),rope(base=1000),rope(base=10000)' --out run");
  EXPECT_THAT(column("row"), ElementsAre("rope(base=100)", "rope(base=1000)", "rope(base=10000)"));
  EXPECT_THAT(trainings(), SizeIs(3));
  extrapolate(one_seed + "--positional.encodings=rope --out ten_thousand");
  extrapolate(one_seed + "--positional.encodings=rope --positional.base=100 --out hundred");
  EXPECT_EQ(weights("rope(base=10000)"), weights("rope", "ten_thousand"));
  EXPECT_EQ(weights("rope(base=100)"), weights("rope", "hundred"));
  EXPECT_NE(weights("rope(base=100)"), weights("rope(base=1000)"));
}

// An option at an encoding wins over its key, which sets it for all the others.
TEST(RowsSlow, AnOptionAtAnEncodingWinsOverItsKey) {
  extrapolate(one_seed + "--positional.encodings='rope,rope(base=100)' --positional.base=500 --out run");
  EXPECT_THAT(metadata("run/cells/rope/seed-1", "positional.encoding"), StartsWith("rope(base=500,"));
  EXPECT_THAT(metadata("run/cells/rope_base=100/seed-1", "positional.encoding"),
              StartsWith("rope(base=100,"));
}

TEST(RowsSlow, OfTwoFactorsAreAllCombinations) {
  extrapolate(without("model.layers", one_seed) +
              "--positional.encodings=none,rope --compare.model.layers=1,2 --out run");
  std::vector<std::string> combinations;
  for (const auto& line : csv("run/seeds.csv")) {
    if (line.at("length") != "16" || line.at("metric") != "bits") continue;
    combinations.push_back(line.at("positional.encoding") + " " + line.at("model.layers"));
  }
  EXPECT_THAT(combinations, ElementsAre("none 1", "none 2", "rope 1", "rope 2"));
  EXPECT_THAT(column("row"),
              ElementsAre("none, layers = 1", "none, layers = 2", "rope, layers = 1", "rope, layers = 2"));
  EXPECT_EQ(metadata("run/cells/rope_layers=2/seed-1", "model.layers"), "2");
  EXPECT_THAT(file("run/table.md"), HasSubstr("| encoding | layers = 1 | layers = 2 |\n"));
}

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

TEST(RowsSlow, OfOtherTrainingLengthsAreTestedAtTheSameLengths) {
  extrapolate(without("task.train_length", one_seed) +
              "--positional.encoding=none --compare.task.train_length=8,16 --evaluate.lengths=16,32 "
              "--out run");
  EXPECT_EQ(result("train_length=8").train_length, 8);
  EXPECT_EQ(result("train_length=16").train_length, 16);
  EXPECT_THAT(column("length"), ElementsAre("16", "32"));
}

// ---- Trainings

const std::string tests_of_rope = "--positional.encodings=rope,rope@contiguous:ntk,rope@contiguous:yarn ";

TEST(SharedTrainingSlow, ServesRowsThatDifferInTheTestAlone) {
  extrapolate(one_seed + tests_of_rope + "--out run");
  EXPECT_THAT(trainings(), ElementsAre("rope/seed-1"));
  EXPECT_EQ(weights("rope"), weights("rope@contiguous:ntk"));
  EXPECT_EQ(weights("rope"), weights("rope@contiguous:yarn"));
  EXPECT_EQ(values("rope")[0], values("rope@contiguous:yarn")[0]);
  EXPECT_NE(values("rope")[1], values("rope@contiguous:ntk")[1]);
  EXPECT_NE(values("rope")[1], values("rope@contiguous:yarn")[1]);
  extrapolate(one_seed + "--positional.encodings=rope@contiguous:yarn --out alone");
  EXPECT_EQ(without_seconds("run/cells/rope@contiguous:yarn/seed-1/result.json"),
            without_seconds("alone/cells/rope@contiguous:yarn/seed-1/result.json"));
}

TEST(SharedTrainingSlow, ServesTheWaysPastTheEndOfATableThatNeedNoMoreRows) {
  extrapolate(one_seed +
              "--positional.encodings='learned,learned(overflow=clamp),learned(overflow=interpolate),"
              "learned(overflow=untrained)' --out run");
  EXPECT_THAT(trainings(), ElementsAre("learned/seed-1", "learned_overflow=untrained/seed-1"));
  EXPECT_TRUE(result("learned").scores[1].failed);
  EXPECT_NE(values("learned_overflow=clamp")[1], values("learned_overflow=interpolate")[1]);
}

TEST(SharedTrainingSlow, IsKeptWhenARowIsAddedInFront) {
  extrapolate(one_seed + "--positional.encodings=rope --out run");
  const std::string checkpoint = "run/cells/rope/seed-1/checkpoint.safetensors";
  const auto before = written_at(checkpoint);
  const Outcome outcome =
      extrapolate(with_progress + "--positional.encodings=none,rope@contiguous:ntk,rope --out run");
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("rope@contiguous:ntk seed 1  shares a training"),
                                 HasSubstr("rope seed 1  already done, skipped")));
  EXPECT_EQ(written_at(checkpoint), before);
  EXPECT_THAT(trainings(), ElementsAre("none/seed-1", "rope/seed-1"));
  EXPECT_THAT(column("row"), ElementsAre("none", "rope@contiguous:ntk", "rope"));
}

TEST(SharedTrainingSlow, ThatWasInterruptedIsContinuedForTheRowThatComesFirstNow) {
  const std::string run = one_seed + "--train.steps=2000 --train.checkpoint_every=100 ";
  run_until("run/cells/rope/seed-1/metrics.jsonl", "INT", "extrapolation",
            run + "--positional.encodings=rope --out run", 3);
  extrapolate(run + "--positional.encodings=rope@contiguous:ntk,rope --out run");
  EXPECT_THAT(trainings(), ElementsAre("rope/seed-1"));
  extrapolate(run + "--positional.encodings=rope@contiguous:ntk,rope --out whole");
  EXPECT_EQ(file("run/table.csv"), file("whole/table.csv"));
  EXPECT_EQ(weights("rope"), weights("rope", "whole"));
}

TEST(SharedTrainingSlow, OfARowThatIsGoneLeavesTheResultsOfTheOthers) {
  extrapolate(one_seed + tests_of_rope + "--out run");
  const auto before = written_at("run/cells/rope@contiguous:yarn/seed-1/result.json");
  extrapolate(one_seed + "--positional.encodings=rope@contiguous:yarn --out run");
  EXPECT_EQ(written_at("run/cells/rope@contiguous:yarn/seed-1/result.json"), before);
  EXPECT_THAT(column("row"), ElementsAre("rope@contiguous:yarn"));
}

// ---- Conditions

const std::string six_conditions =
    "--evaluate.conditions='trained,shifted(offset=3),window(size=16),log_n,last(k=4),truncated' ";

TEST(ConditionsSlow, AreThereForEveryLengthAndRow) {
  extrapolate(one_seed + "--positional.encodings=none,rope,learned " + six_conditions + "--out run");
  const std::vector<std::string> conditions = {"trained", "shifted(offset=3)", "window(size=16)",
                                               "log_n",   "last(k=4)",         "truncated"};
  EXPECT_EQ(column("condition"), conditions);
  EXPECT_EQ(column("condition", "run/seeds.csv"), conditions);
  const auto lines = csv("run/seeds.csv");
  EXPECT_EQ(std::ranges::count_if(lines, [](const auto& line) { return line.at("metric") == "bits"; }),
            3 * 2 * 6);
  for (const std::string& condition : conditions) {
    EXPECT_THAT(file("run/report.html"), HasSubstr(condition)) << condition;
  }
  EXPECT_THAT(
      file("run/table.md"),
      HasSubstr("| trained | shifted(offset=3) | window(size=16) | log\\_n | last(k=4) | truncated |\n"));
}

TEST(ConditionsSlow, ChangeOneThingEach) {
  extrapolate(one_seed + "--positional.encodings=none,learned " + six_conditions + "--out run");
  const auto score = [](const std::string& row, const std::string& condition, Index length) {
    for (const LengthScore& one : result(row).scores) {
      if (one.length == length && one.condition == condition) return Whole(one);
    }
    ADD_FAILURE() << row << " has no " << condition << " at " << length;
    return Whole({});
  };
  for (const Index length : {16, 32}) {  // none has no positions
    EXPECT_EQ(score("none", "shifted(offset=3)", length).value, score("none", "trained", length).value);
    EXPECT_EQ(score("none", "last(k=4)", length).tokens, score("none", "last(k=4)", 16).tokens);
  }
  EXPECT_EQ(score("none", "window(size=16)", 16).value, score("none", "trained", 16).value);
  EXPECT_NE(score("none", "window(size=16)", 32).value, score("none", "trained", 32).value);
  EXPECT_EQ(score("none", "log_n", 16).value, score("none", "trained", 16).value);
  EXPECT_NE(score("none", "log_n", 32).value, score("none", "trained", 32).value);
  EXPECT_TRUE(score("learned", "shifted(offset=3)", 16).failed);
  EXPECT_THAT(score("learned", "shifted(offset=3)", 16).why, HasSubstr("16"));
  EXPECT_FALSE(score("learned", "window(size=16)", 16).failed);
  EXPECT_TRUE(score("learned", "trained", 32).failed);
  EXPECT_FALSE(score("learned", "truncated", 32).failed);
}

TEST(ConditionsSlow, AreScoredLaterWithoutTraining) {
  extrapolate(one_seed + "--positional.encodings=rope --out run");
  const std::vector<double> trained = values("rope");
  const auto before = written_at("run/cells/rope/seed-1/checkpoint.safetensors");
  extrapolate(one_seed + "--positional.encodings=rope --evaluate.conditions=trained,log_n --out run");
  EXPECT_EQ(written_at("run/cells/rope/seed-1/checkpoint.safetensors"), before);
  ASSERT_THAT(values("rope"), SizeIs(4));
  EXPECT_THAT((std::vector<double>{values("rope")[0], values("rope")[2]}),
              ElementsAre(trained[0], trained[1]));
}

TEST(ConditionsSlow, OfASingleModelArePrintedByTrain) {
  const Outcome outcome = run_program("train", tiny + "--evaluate.conditions=trained,log_n --out run");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, ContainsRegex("\n +32 [0-9. ]+\n +32 [0-9. ]+  log_n\n"));
}

// A column of a table is measured on the same tokens for every row, regardless of its training.
TEST(ConditionsSlow, ScoreAllRowsOnTheSameTokens) {
  write(
      "same.cfg",
      "[row short]\npositional.encoding = rope\n[row long]\npositional.encoding = rope\nfinetune.steps = 4\n"
      "finetune.length = 4x\nfinetune.learning_rate = 1e-30\n[row small batch]\npositional.encoding = rope\n"
      "train.batch = 2\n");
  extrapolate(one_seed + "--config same.cfg --evaluate.conditions=trained,window,shifted --out run");
  for (std::size_t i = 0; i < result("short").scores.size(); ++i) {
    const Whole short_row(result("short").scores[i]);
    const Whole long_row(result("long").scores[i]);
    EXPECT_EQ(long_row.tokens, short_row.tokens);
    EXPECT_EQ(Whole(result("small-batch").scores[i]).tokens, short_row.tokens);
    EXPECT_NEAR(long_row.value, short_row.value, 1e-6);
  }
}

// One rate that is too high does not prevent the table for the others.
TEST(RowsSlow, GoOnBesideOneThatDiverges) {
  const Outcome outcome = extrapolate(one_seed +
                                      "--positional.encodings=none --compare.train.learning_rate=1e-3,1e30 "
                                      "--train.clip=0 --train.optimizer=sgd --out run");
  EXPECT_THAT(file("run/table.md"), HasSubstr("diverged"));
  EXPECT_THAT(outcome.out, HasSubstr("1e-3"));
}

// ---- Settings that invalidate results

TEST(ResultsSlow, OfOtherSettingsAreRefusedAndStay) {
  extrapolate(without("model.layers", one_seed) +
              "--compare.model.layers=1,2 --positional.encoding=none --out run");
  const auto before = contents("run");
  for (const auto& [option, message] :
       {std::pair{"--model.d_model=32",
                  "layers=1/seed-1: it holds results with model.d_model = 16, this run "
                  "has 32; choose another --out or experiment.name, or remove it"},
        std::pair{"--train.steps=30", "train.steps = 20, this run has 30"},
        std::pair{"--model.block=lstm", "model.block = attention, feed_forward, this run has lstm"},
        std::pair{"--task.name=copy", "task.name = language(names=26), this run has copy(symbols=16)"}}) {
    const Outcome outcome = run_program(
        "extrapolation", without("model.layers", one_seed) +
                             "--compare.model.layers=1,2 --positional.encoding=none --out run " + option);
    EXPECT_EQ(outcome.exit_code, 2) << option;
    EXPECT_EQ(outcome.error_lines(), 1) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(message));
    EXPECT_TRUE(contents("run") == before) << option;
  }
}

TEST(ResultsSlow, DoNotDependOnOptionsOfPartsThatTheyDoNotHave) {
  write("a.cfg", "[positional]\nencodings = none, rope\n");
  write("b.cfg",
        "[positional]\nencodings = none, rope, t5\nbuckets = 8\noverflow = clamp\nxpos_scale = 100\n"
        "[train]\nmomentum = 0.5\n[model]\nkernel = 5\n[task]\nsymbols = 3\n");
  extrapolate(one_seed + "--config a.cfg --out run");
  const auto none = written_at("run/cells/none/seed-1/result.json");
  const auto rope = written_at("run/cells/rope/seed-1/result.json");
  extrapolate(one_seed + "--config b.cfg --out run");
  EXPECT_EQ(written_at("run/cells/none/seed-1/result.json"), none);
  EXPECT_EQ(written_at("run/cells/rope/seed-1/result.json"), rope);
  EXPECT_THAT(metadata("run/cells/t5/seed-1", "positional.encoding"), HasSubstr("buckets=8"));
}

// As written by an earlier version: without new keys and options.
TEST(ResultsSlow, WithoutANewKeyHaveItsDefault) {
  const std::string run = one_seed + "--positional.encodings=rope --out run ";
  extrapolate(run);
  const std::string name = "run/cells/rope/seed-1/settings.json";
  auto settings = nlohmann::ordered_json::parse(file(name));
  auto& stage = settings.at("stages")[0];
  for (const char* key : {"model.scale_embedding", "train.accumulate", "positional.dropout"}) {
    ASSERT_EQ(stage.erase(key), 1U) << key;
  }
  stage["positional.encoding"] = "rope(base=10000)";
  stage["model.block"] = "attention, feed_forward";
  write(name, settings.dump(2));
  const auto before = written_at("run/cells/rope/seed-1/result.json");
  extrapolate(run);
  EXPECT_EQ(written_at("run/cells/rope/seed-1/result.json"), before);
  for (const std::string other : {"--model.scale_embedding=false", "--train.accumulate=2",
                                  "--positional.rotary_fraction=0.5", "--model.ff=48"}) {
    EXPECT_EQ(run_program("extrapolation", run + other).exit_code, 2) << other;
  }
}

TEST(ResultsSlow, OfASharedTrainingAreScoredAgainForAnotherTest) {
  write("a.cfg", "[row stretched]\npositional.encoding = rope@contiguous:ntk\n");
  write("b.cfg", "[row stretched]\npositional.encoding = rope@contiguous:yarn\n");
  extrapolate(one_seed + "--config a.cfg --out run");
  const std::vector<double> before = values("stretched");
  const auto checkpoint = written_at("run/cells/stretched/seed-1/checkpoint.safetensors");
  extrapolate(one_seed + "--config b.cfg --out run");
  EXPECT_EQ(written_at("run/cells/stretched/seed-1/checkpoint.safetensors"), checkpoint);
  EXPECT_NE(values("stretched"), before);
}

// ---- Plans and refusals

TEST(ExperimentPlan, ListsRowsSharedTrainingsAndPositionsInForce) {
  write("a.cfg", interpolated + "[compare]\npositional.encoding = rope, rope(base=500)\n");
  const Outcome plan = extrapolate(one_seed + "--config a.cfg --experiment.seeds=2 --dry-run --out run");
  EXPECT_THAT(plan.out, AllOf(HasSubstr("8 cells = 4 rows × 2 seeds, 6 trainings\n"),
                              ContainsRegex("\nrope +[0-9]+ +20 × 4 × 16 +[0-9.e-]+ +[0-9.]+ MB\n"
                                            "  positions contiguous; base 10000"),
                              ContainsRegex("\nrope.base=500. .*\n  positions contiguous; base 500"),
                              ContainsRegex("\ninterpolated +[0-9]+ +20 × 4 × 16 +shared"),
                              ContainsRegex("\nfine-tuned +[0-9]+ +20 × 4 × 16 +shared .*\n"
                                            "  positions contiguous, in the test interpolated, s 2;.*\n"
                                            "  then fine-tuned +[0-9]+ +6 × 4 × 32 +[0-9.e-]+")));
  EXPECT_FALSE(std::filesystem::exists(own_folder() / "run"));
}

TEST(ExperimentPlan, SaysWhatIsChosenFirst) {
  const Outcome plan = extrapolate(tuned_run + "--evaluate.conditions=trained,log_n --dry-run --out run");
  EXPECT_THAT(plan.out,
              AllOf(HasSubstr("on seed 1000, the best train.learning_rate for each row: 1e-9, 3e-3"),
                    HasSubstr("(trained, log_n)")));
}

TEST(RefusedRows, AnUnknownKeyIsOneLineWithFileAndNumber) {
  const auto refused = [](const std::string& text, const std::string& message) {
    write("a.cfg", text);
    const Outcome outcome = run_program("extrapolation", one_seed + "--config a.cfg --out run");
    EXPECT_EQ(outcome.exit_code, 2) << text;
    EXPECT_EQ(outcome.error_lines(), 1) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("extrapolation: " + message));
    EXPECT_FALSE(std::filesystem::exists(own_folder() / "run"));
  };
  refused("[row a]\nmodel.layers = 1\nmodel.d_modle = 32\n",
          "a.cfg:3: unknown key model.d_modle (did you mean model.d_model?)");
  refused("[row a]\nlayers = 2\n", "a.cfg:2: unknown key layers (did you mean ");
  refused("[row a]\nmodel.layers = many\n",
          "a.cfg:2: [row a] model.layers: got 'many', expected a whole number");
  refused("[row a]\nevaluate.batches = 2\n", "a.cfg:2: [row a] evaluate.batches: rows cannot differ in it");
  refused("[compare]\nmodel.d_modle = 32, 64\n", "a.cfg:2: unknown key compare.model.d_modle (did you mean ");
  refused("[compare]\nexperiment.seeds = 1, 2\n", "a.cfg:2: compare.experiment.seeds: it cannot be compared");
  refused("[row a]\nmodel.layers = 1\n[row b]\nmodel.d_model = 9\n",
          "[row b] model.d_model = 9 is not divisible by model.heads = 2");
}

TEST(RefusedRows, OfTasksThatAreScoredOtherwise) {
  const Outcome outcome =
      run_program("extrapolation", one_seed + "--compare.task.name=language,copy --out run");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.error_lines(), 1) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("cannot be compared: their tasks are scored by recall.accuracy.past"));
  EXPECT_FALSE(std::filesystem::exists(own_folder() / "run"));
}

TEST(PartList, IsThereInEveryProgram) {
  for (const std::string program :
       {"extrapolation", "train", "generate", "encoding", "parity", "benchmark"}) {
    const Outcome all = run_program(program, "--list");
    EXPECT_EQ(all.exit_code, 0) << program << all.err;
    for (const char* part : {"\nconv\n", "\nlstm\n", "\ngated_linear\n", "\nrope\n", "\nyarn\n", "\nadamw\n",
                             "\ncopy\n", "\nlog_n\n", "\nrmsnorm\n"}) {
      EXPECT_THAT(all.out, HasSubstr(part)) << program;
    }
    const Outcome one = run_program(program, "--list conv");
    EXPECT_EQ(one.exit_code, 0) << program << one.err;
    EXPECT_THAT(one.out,
                AllOf(StartsWith("conv\n"), HasSubstr("option      kernel = 3: "), Not(HasSubstr("lstm"))));
    const Outcome none = run_program(program, "--list convv");
    EXPECT_EQ(none.exit_code, 2) << program;
    EXPECT_THAT(none.err, HasSubstr("there is nothing called 'convv' (did you mean conv?)"));
  }
}

}  // namespace
}  // namespace ordinal::experiments::testing
