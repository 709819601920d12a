// What --dry-run and the start of a run report about the work and the positions in effect.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/experiments/drivers/experiment.h"

namespace ordinal::experiments::testing {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(DryRun, CountsTheTrainingsThatChooseValues) {
  const std::string two_rows = tiny + "--dry-run --experiment.seeds=2 --compare.model.encoding=none,rope ";
  const auto teraflops = [&](const std::string& more) {
    const std::string text = run_program("extrapolation", two_rows + more).out;
    const std::size_t at = text.find("all trainings: ");
    return at == std::string::npos ? 0.0 : std::stod(text.substr(at + 15));
  };
  EXPECT_THAT(run_program("extrapolation", two_rows + "--compare.tune.train.learning_rate=0.1,0.2,0.3").out,
              HasSubstr("4 cells = 2 rows × 2 seeds, 4 trainings, after 6 that choose values"));
  const double plain = teraflops("");
  EXPECT_GT(plain, 0.0);
  EXPECT_NEAR(teraflops("--compare.tune.train.learning_rate=0.1,0.2,0.3") / plain, 10.0 / 4.0, 0.02);
  EXPECT_THAT(run_program("extrapolation", two_rows).out, Not(HasSubstr("choose")));
}

TEST(PositionsInForce, AreShownByEveryProgram) {
  const std::string yarn = "--model.encoding=rope@yarn ";
  const std::string expected = "positions yarn, s 1 (as contiguous), in the test yarn, s 2, α 1, β ";
  EXPECT_THAT(run_program("train", tiny + yarn + "--dry-run").out, HasSubstr(expected));
  EXPECT_THAT(run_program("extrapolation", tiny + "--compare.model.encoding=rope@yarn --dry-run").out,
              HasSubstr(expected));
  std::string aloud = tiny;
  aloud.erase(aloud.find("--quiet"), 7);
  const Outcome outcome = run_program("train", aloud + yarn + "--out run");
  EXPECT_THAT(outcome.out + outcome.err, HasSubstr(expected));
  EXPECT_THAT(
      run_program("generate", "--model run/checkpoint.safetensors --generate.length=63 --dry-run").out,
      HasSubstr("positions yarn, s 4, α 1, β "));
  EXPECT_THAT(run_program("encoding", "--encoding.name='rope@ntk(scale=4)' --dry-run").out,
              AllOf(HasSubstr("positions: ntk, s 4\n"), HasSubstr("constants: base 10000")));
}

TEST(ExperimentPlan, ListsRowsSharedTrainingsAndPositionsInForce) {
  write("a.cfg", interpolated + "[compare]\nmodel.encoding = rope, rope(base=500)\n");
  EXPECT_THAT(extrapolate(one_seed + "--config a.cfg --experiment.seeds=2 --dry-run --out run").out,
              AllOf(HasSubstr("8 cells = 4 rows × 2 seeds, 6 trainings\n"),
                    ContainsRegex("\nrope +[0-9]+ +20 × 4 × 16 +[0-9.e-]+ +[0-9.]+ MB +[+] [0-9.]+ MB\n"
                                  "  positions contiguous; base 10000"),
                    ContainsRegex("\nrope.base=500. .*\n  positions contiguous; base 500"),
                    ContainsRegex("\ninterpolated +[0-9]+ +20 × 4 × 16 +shared"),
                    ContainsRegex("\nfine-tuned +[0-9]+ +20 × 4 × 16 +shared .*\n"
                                  "  positions contiguous, in the test interpolated, s 2;.*\n"
                                  "  then fine-tuned +[0-9]+ +6 × 4 × 32 +[0-9.e-]+")));
  EXPECT_FALSE(exists("run"));
}

TEST(ExperimentPlan, SaysWhatIsChosenFirst) {
  EXPECT_THAT(extrapolate(tuned_run + "--evaluate.conditions=trained,log_n --dry-run --out run").out,
              AllOf(HasSubstr("on seed 1000, the best train.learning_rate for each row: 1e-9, 3e-3"),
                    HasSubstr("(trained, log_n)")));
}

}  // namespace
}  // namespace ordinal::experiments::testing
