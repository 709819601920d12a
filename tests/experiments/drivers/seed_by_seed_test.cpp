// A comparison trains the first seed of each row, then the second: there is an answer after the first.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "tests/experiments/drivers/experiment.h"

namespace ordinal::experiments::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string with_seeds(const std::string& arguments, int seeds) {
  return without("experiment.seeds", arguments) + fmt::format("--experiment.seeds={} ", seeds);
}

const std::string copying = with_progress + "--task.name=copy ";

// The last row diverges.
const std::string three_rows = "--jobs=1 --compare.model.encoding=rope,none --config diverges.cfg ";
void write_third_row() {
  write("diverges.cfg",
        "[row diverges]\nmodel.encoding = alibi\ntrain.optimizer = sgd\ntrain.clip = 0\n"
        "train.learning_rate = 1e30\n");
}

std::vector<std::string> matches(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  std::vector<std::string> found;
  for (auto at = std::sregex_iterator(text.begin(), text.end(), regex); at != std::sregex_iterator(); ++at)
    found.push_back((*at)[1]);
  return found;
}

// The rows and seeds of seeds.csv, in its order.
std::vector<std::string> scored_cells(const std::string& out) {
  std::vector<std::string> found;
  for (const auto& line : csv(out + "/seeds.csv")) {
    const std::string cell = line.at("row") + " " + line.at("seed");
    if (found.empty() || found.back() != cell) found.push_back(cell);
  }
  return found;
}

TEST(SeedBySeedSlow, EachSeedOfAllRowsComesBeforeTheNextAndFilesKeepTheOrderOfRows) {
  write_third_row();
  const Outcome outcome = extrapolate(with_seeds(copying, 2) + three_rows + "--out run");
  EXPECT_THAT(matches(outcome.err, R"((?:^|\n)(\[.*) seed 1  (?:accuracy|diverged))"),
              ElementsAre("[1/6] rope", "[2/6] none", "[3/6] diverges"));
  EXPECT_THAT(matches(outcome.err, R"((?:^|\n)(\[.*) seed 2  (?:accuracy|diverged))"),
              ElementsAre("[4/6] rope", "[5/6] none", "[6/6] diverges"));
  EXPECT_LT(outcome.err.find("[3/6] diverges"), outcome.err.find("[4/6] rope"));
  EXPECT_THAT(scored_cells("run"),
              ElementsAre("rope 1", "rope 2", "none 1", "none 2", "diverges 1", "diverges 2"));
}

TEST(SeedBySeedSlow, ProgressHasTheScoreAtTheTrainingLengthAndOneTimeLeft) {
  const Outcome outcome =
      extrapolate(with_seeds(copying, 2) + "--jobs=1 --compare.model.encoding=rope --out run");
  const std::string score = fmt::format("{:.3f}", values("rope").front());
  EXPECT_THAT(outcome.err, HasSubstr("[1/2] rope seed 1  accuracy " + score + " at 16, 0 s; about "));
  EXPECT_THAT(matches(outcome.err, R"(\n(\[2/2\] rope seed 2  accuracy .*)\n)"),
              ElementsAre(::testing::EndsWith(" s")))
      << "nothing is left";
}

TEST(SeedBySeedSlow, TheTableAndTheReportAreShownAfterTheFirstSeedAlone) {
  write_third_row();
  const Outcome outcome = extrapolate(with_seeds(copying, 3) + three_rows + "--out run");
  EXPECT_THAT(matches(outcome.err, "\n(accuracy .*)\n"),
              ElementsAre(HasSubstr("one seed, so no spread; preliminary: 1 of 3 seeds")));
  EXPECT_THAT(matches(outcome.err, "\n(report: .*)\n"),
              ElementsAre("report: run/report.html", "report: run/report.html has 2 of 3 seeds"));
  EXPECT_LT(outcome.err.find("\n[3/9]"), outcome.err.find("\nreport: run/report.html\n"));
  EXPECT_LT(outcome.err.find("\nreport: run/report.html\n"), outcome.err.find("\n[4/9]"));
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("over 3 seeds\n"), HasSubstr("report: run/report.html\n"),
                                 Not(HasSubstr("preliminary"))));
  EXPECT_THAT(file("run/report.html"), Not(HasSubstr("reliminary")));
  const Outcome one = extrapolate(with_seeds(copying, 1) + three_rows + "--out one");
  EXPECT_THAT(one.err, Not(HasSubstr("report: "))) << "the only seed is the last";
}

// The page up to the settings and times, without what says that seeds follow.
std::string comparable(std::string page) {
  page.resize(page.find("<h2>How to run it again"));
  for (const std::string mark :
       {"<p class=\"progress\">Preliminary: 1 of 3 seeds. This page is written again after each.</p>\n",
        "; preliminary: 1 of 3 seeds"})
    for (auto at = page.find(mark); at != std::string::npos; at = page.find(mark))
      page.erase(at, mark.size());
  return page;
}

TEST(SeedBySeedSlow, ARunThatIsInterruptedAfterTheFirstSeedLeavesTheReportOfIt) {
  const std::string run = without("train.steps", one_seed) + "--task.name=copy --train.steps=200 --jobs=1 " +
                          "--compare.model.encoding=sinusoidal,learned,rope ";
  const Outcome stopped = run_until("run/cells/sinusoidal/seed-2/metrics.jsonl", "INT", "extrapolation",
                                    with_seeds(run, 3) + "--train.log_every=10 --out run", 2);
  EXPECT_EQ(stopped.exit_code, 130) << stopped.err;
  extrapolate(run + "--train.log_every=10 --out one");
  const std::string page = file("run/report.html");
  EXPECT_THAT(page, HasSubstr("<p class=\"progress\">Preliminary: 1 of 3 seeds."));
  EXPECT_TRUE(comparable(page) == comparable(file("one/report.html"))) << "too long to be shown";
  for (const char* name : {"seeds.csv", "table.csv", "references.csv", "curves.svg", "training.svg"})
    EXPECT_EQ(file(std::string("run/") + name), file(std::string("one/") + name)) << name;
  extrapolate(with_seeds(run, 3) + "--train.log_every=10 --out run");
  extrapolate(with_seeds(run, 3) + "--train.log_every=10 --out whole");
  expect_same_experiment("run", "whole");
}

// A row that is added does not take the other seeds from the report.
TEST(SeedBySeedSlow, AReportSoFarKeepsTheResultsOfEarlierRuns) {
  extrapolate(with_seeds(one_seed, 3) + "--compare.model.encoding=none --out run");
  const std::filesystem::path in_the_way = own_folder() / "run/cells/rope/seed-2/metrics.jsonl";
  std::filesystem::create_directories(in_the_way);  // ends the run
  const Outcome ended = run_program(
      "extrapolation", with_seeds(one_seed, 3) + "--jobs=1 --compare.model.encoding=none,rope --out run");
  EXPECT_NE(ended.exit_code, 0);
  EXPECT_THAT(file("run/report.html"), HasSubstr("Preliminary: 1 of 3 seeds."));
  EXPECT_THAT(scored_cells("run"), ElementsAre("none 1", "none 2", "none 3", "rope 1"));
}

}  // namespace
}  // namespace ordinal::experiments::testing
