// --part I/N: processes that do not talk to each other train shares of an experiment in one folder. And --jobs: trainings at
// the same time. The bits are those of one after the other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/experiments/drivers/experiment.h"

namespace ordinal::experiments::testing {
namespace {

using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Three trainings for four rows.
const std::string four_rows =
    one_seed + "--compare.model.encoding=none,rope,rope@contiguous:yarn,alibi --threads=1 ";

// Starts the parts of an experiment at the same time, and waits for all.
void run_parts(int count, const std::string& arguments) {
  std::string command = "cd '" + own_folder().string() + "'; ";
  for (int part = 1; part <= count; ++part) {
    command += quoted_program("extrapolation") + arguments + "--part=" + std::to_string(part) + "/" +
               std::to_string(count) + " >part" + std::to_string(part) + ".txt 2>&1 & p" +
               std::to_string(part) + "=$!; ";
  }
  for (int part = 1; part <= count; ++part) command += "wait $p" + std::to_string(part) + " && ";
  EXPECT_EQ(std::system((command + "true").c_str()), 0) << file("part1.txt");
}

TEST(Parts, OneAfterTheOtherAreTheWholeExperiment) {
  extrapolate(four_rows + "--out one");
  const Outcome second = extrapolate(four_rows + "--out run --part=2/2");
  EXPECT_EQ(
      second.out,
      "part 2/2 of extrapolation: 2 of 4 cells, all done; after the last part, the same command without "
      "--part writes the tables and the report\n");
  EXPECT_THAT(trainings("run"), ElementsAre("alibi/seed-1", "rope/seed-1"));
  EXPECT_FALSE(exists("run/report.html"));
  EXPECT_FALSE(exists("run/cells/none"));
  extrapolate(four_rows + "--out run");
  expect_same_experiment("run", "one");
}

// Whichever row needs it first: a checkpoint says how its row is tested.
TEST(PartsSlow, LeaveACheckpointTheSettingsOfTheRowInWhoseFolderItIs) {
  extrapolate(one_seed + "--compare.model.encoding=rope,rope@contiguous:yarn --out run --part=2/2");
  EXPECT_THAT(metadata("run/cells/rope/seed-1", "model.encoding"),
              ::testing::AllOf(::testing::StartsWith("rope("), ::testing::EndsWith("@contiguous(offset=0)")));
}

// The second and third row share a training, which is one part's; the other waits for it.
TEST(PartsSlow, AtTheSameTimeAreTheWholeExperiment) {
  extrapolate(four_rows + "--out one");
  run_parts(3, four_rows + "--out run ");
  const auto trained = written_at("run/cells/rope/seed-1/checkpoint.safetensors");
  extrapolate(four_rows + "--out run");
  EXPECT_EQ(written_at("run/cells/rope/seed-1/checkpoint.safetensors"), trained);
  expect_same_experiment("run", "one");
}

TEST(PartsSlow, ChooseTheSameValuesAndTrainThemOnce) {
  const std::string tuned = tuned_run + "--compare.model.encoding=none,rope --threads=1 ";
  extrapolate(tuned + "--out one");
  run_parts(2, tuned + "--out run ");
  EXPECT_THAT(file("part1.txt"), HasSubstr("part 1/2 of extrapolation: 1 of 2 cells"));
  const auto chosen = written_at("run/tuning/rope/learning_rate=3e-3/checkpoint.safetensors");
  extrapolate(tuned + "--out run");
  EXPECT_EQ(written_at("run/tuning/rope/learning_rate=3e-3/checkpoint.safetensors"), chosen);
  expect_same_experiment("run", "one");
}

TEST(PartsSlow, ThatAreKilledContinue) {
  const std::string longer =
      without("train.steps", four_rows) + "--train.steps=2000 --train.checkpoint_every=100 ";
  extrapolate(longer + "--out one");
  for (const std::string signal : {"KILL", "TERM"}) {
    const Index lines = signal == "KILL" ? 40 : 80;
    const Outcome stopped = run_until("run/cells/none/seed-1/metrics.jsonl", signal, "extrapolation",
                                      longer + "--out run --part=1/2", lines);
    EXPECT_NE(stopped.exit_code, 0);
    EXPECT_THAT(stopped.err, HasSubstr(signal == "TERM" ? "--part=1/2" : ""));
  }
  run_parts(2, longer + "--out run ");
  extrapolate(longer + "--out run");
  expect_same_experiment("run", "one");
}

// Neither would be complete. Whoever comes first is.
TEST(PartsSlow, OfTwoConfigsThatBeginTogetherAreThoseOfOne) {
  for (int round = 0; round < 3; ++round) {
    std::filesystem::remove_all(own_folder() / "run");
    const std::string other = four_rows + "--model.layers=2 --out run ";
    const std::string command = "cd '" + own_folder().string() + "'; " + quoted_program("extrapolation") +
                                four_rows + "--out run --part=1/2 >a.txt 2>&1 & a=$!; " +
                                quoted_program("extrapolation") + other +
                                "--part=2/2 >b.txt 2>&1; b=$?; wait $a; " + "exit $(($? * 10 + b))";
    const int codes = WEXITSTATUS(std::system(command.c_str()));
    ASSERT_TRUE(codes == 2 || codes == 20) << file("a.txt") << file("b.txt");
    const bool first = codes == 2;
    const std::string refused = file(first ? "b.txt" : "a.txt");
    EXPECT_EQ(std::ranges::count(refused, '\n'), 1) << refused;
    EXPECT_THAT(refused, AnyOf(HasSubstr("writes results of other settings there; wait for it"),
                               HasSubstr(" with model.layers = ")));
    extrapolate(first ? four_rows + "--out run" : other);
  }
}

TEST(RefusedParts, AreOneLine) {
  for (const std::string part : {"0/3", "4/3", "x", "3", "1/0", "-1/2", "1/2/3"}) {
    EXPECT_EQ(error_of("extrapolation", four_rows + "--out run --part=" + part),
              "extrapolation: --part: got '" + part +
                  "', expected I/N, the part I of N, with I from 1 to N, such as 2/8\n");
  }
  EXPECT_FALSE(exists("run"));
}

// A part that is at its first training when another folder takes the place of its own.
TEST(Parts, WriteNothingInAFolderThatIsBegunAgain) {
  const std::string command =
      "cd '" + own_folder().string() + "' && mkdir -p next/cells/none/seed-1 && { " +
      quoted_program("extrapolation") + without("train.steps", four_rows) +
      "--train.log_every=1 --train.steps=20000 --part=1/2 --out run >stdout.txt 2>stderr.txt & until [ -s "
      "run/cells/none/seed-1/metrics.jsonl ]; do sleep 0.02; done; mv run gone; mv next run; wait $!; }";
  const int status = std::system(command.c_str());
  EXPECT_EQ(WEXITSTATUS(status), 2);
  EXPECT_THAT(file("stderr.txt"), HasSubstr("run: the folder or its .lock was removed while this run wrote"));
  EXPECT_TRUE(std::filesystem::is_empty(own_folder() / "run/cells/none/seed-1"));
}

// ---- Trainings at the same time in one process

// Quick, so that the thread sanitizer also sees a whole experiment with `tests/run --unit --preset tsan`. Rows share a training
// and score several of its steps, with batches of two lengths.
TEST(Jobs, TrainSideBySideWhatOneTrainsAlone) {
  const std::string small = tiny +
                            "--train.steps=100 --train.shards=4 --model.dropout=0.1 --experiment.seeds=2 "
                            "--compare.model.encoding=learned,none --compare.train.score_step=50,100 "
                            "--task.lengths='mixed(longest=24, share=0.3)' ";
  extrapolate(small + "--threads=1 --jobs=1 --out one");
  for (const std::string threads : {"--threads=2 --jobs=2", "--threads=2 --jobs=1", "--threads=3 --jobs=2"}) {
    std::filesystem::remove_all(own_folder() / "several");
    extrapolate(small + threads + " --out several");
    expect_same_numbers("one", "several");
  }
}

TEST(JobsSlow, OfAnInterruptedRunAreAllContinued) {
  const std::string longer = without("train.steps", without("experiment.seeds", four_rows)) +
                             "--experiment.seeds=2 --train.steps=300 --threads=2 ";
  extrapolate(longer + "--jobs=1 --out one");
  const Outcome stopped = run_until("two/cells/none/seed-2/metrics.jsonl", "INT", "extrapolation",
                                    longer + "--jobs=2 --out two", 2);
  EXPECT_EQ(stopped.exit_code, 130);
  extrapolate(longer + "--jobs=2 --out two");
  expect_same_numbers("one", "two");
}

}  // namespace
}  // namespace ordinal::experiments::testing
