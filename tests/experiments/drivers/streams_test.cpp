// Programs whose standard streams are closed or full, and what the system sends or denies them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/experiment/cell.h"
#include "experiments/results/result.h"
#include "tests/experiments/drivers/experiment.h"

namespace ordinal::experiments::testing {
namespace {

using ::testing::HasSubstr;

// With the streams as `redirections` say.
int run_with(const std::string& program, const std::string& arguments, const std::string& redirections,
             const std::string& limit = "") {
  const std::string command =
      "cd '" + own_folder().string() + "' && " + limit + started(program, arguments) + " " + redirections;
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

const std::string one_layer = with_progress + "--compare.model.encoding=none --out ";

TEST(Streams, ProgressThatCannotBePrintedIsDropped) {
  for (const auto& [out, streams] : {std::pair{"full", "2>/dev/full"}, {"closed", "<&- 2>&-"}}) {
    EXPECT_EQ(run_with("extrapolation", one_layer + out, std::string(">out.txt ") + streams), 0);
    EXPECT_THAT(file("out.txt"), HasSubstr("report: "));
  }
  EXPECT_EQ(values("none", "full"), values("none", "closed"))
      << "a closed stream does not lend its number to a file";
}

TEST(Streams, ResultsThatCannotBePrintedAreAnErrorAfterEverythingIsSaved) {
  EXPECT_EQ(run_with("extrapolation", one_layer + "full", ">/dev/full 2>errors.txt"), 1);
  EXPECT_THAT(file("errors.txt"), HasSubstr("stdout"));
  EXPECT_TRUE(exists("full/report.html"));
  EXPECT_EQ(run_with("encoding", "--list", "2>errors.txt >&-"), 0)
      << "nobody asked for what a closed stream gets";
}

TEST(Streams, AReaderThatLeavesDoesNotEndATraining) {
  for (const std::string streams : {"2>&1 >/dev/null", "2>/dev/null"}) {
    const std::string command = "cd '" + own_folder().string() + "' && { " +
                                started("train", steps.substr(steps.find("--model.d_model")) + "--out run") +
                                "; echo $? >code.txt; } " + streams + " | true";
    EXPECT_EQ(std::system(command.c_str()), 0);
    EXPECT_EQ(file("code.txt"), "0\n") << streams;
  }
}

// As in `extrapolation --help | head`. A full disk is a mistake still.
TEST(Streams, AReaderThatHasReadEnoughOfAnAnswerIsNoMistake) {
  for (const char* question : {"--help", "--list", "--print-config"}) {
    EXPECT_EQ(run_program("extrapolation", std::string(question) + " | true").err, "") << question;
    EXPECT_EQ(run_with("extrapolation", question, ">/dev/full 2>errors.txt"), 1) << question;
    EXPECT_EQ(file("errors.txt"),
              "extrapolation: stdout: cannot write everything; files of results are complete\n");
  }
}

TEST(Messages, DoNotPassOnWhatATerminalObeys) {
  const Outcome outcome = run_program("train", "\"--model.encoding=$(printf 'r\\033[2Jope')\"");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("r\\x1b[2Jope"));
  EXPECT_EQ(outcome.err.find('\033'), std::string::npos);
}

// Programs built with sanitizers reserve more addresses than any limit leaves.
bool runs_under_limits() {
  return run_with("train", "--help", ">out.txt 2>&1", "prlimit --as=2000000000 ") == 0;
}

// OpenBLAS would try to get its buffers for ever.
TEST(Memory, ThatOpenBlasCannotHaveIsMissedBeforeTraining) {
  if (!runs_under_limits()) GTEST_SKIP() << "this build has sanitizers";
  for (const std::string limit : {"--as=150000000 ", "--data=100000000 "}) {
    EXPECT_EQ(run_with("train", steps + "--threads=1 --out run", "2>errors.txt", "prlimit " + limit), 2);
    EXPECT_THAT(
        file("errors.txt"),
        HasSubstr("train: out of memory: OpenBLAS needs 134 MB more for 1 thread, the limit (ulimit -"));
  }
}

// All memory that is mapped counts, that of the program, its libraries and OpenBLAS, too. Around what the run needs, each limit
// refuses it before anything is written, or it ends well.
TEST(Memory, OfScoringIsComparedWithLimitsBeforeTheFirstStep) {
  if (!runs_under_limits()) GTEST_SKIP() << "this build has sanitizers";
  const std::string long_test =
      without("evaluate.lengths", without("model.d_model", steps)) +
      "--evaluate.lengths=1x,65536 --evaluate.batches=1 --evaluate.batch=1 --model.d_model=64 "
      "--model.encoding=none --threads=1 --out run "
      "--model.block='attention(window=32), feed_forward'";
  for (const auto& [limit, smallest] : {std::pair{"--as=", 380}, {"--data=", 320}}) {
    int refused = 0;
    for (int megabytes = smallest; megabytes <= smallest + 120; megabytes += 20) {
      std::filesystem::remove_all(own_folder() / "run");
      const int code = run_with("train", long_test, ">out.txt 2>errors.txt",
                                "prlimit " + (limit + std::to_string(megabytes)) + "000000 ");
      EXPECT_TRUE(code == 0 || code == 2) << limit << megabytes << ": " << file("errors.txt");
      EXPECT_EQ(exists("run/checkpoint.safetensors"), code == 0) << limit << megabytes;
      if (code == 0) continue;
      ++refused;
      EXPECT_THAT(file("errors.txt"),
                  ::testing::MatchesRegex(
                      "train: out of memory: this run needs about 2[0-9][0-9] MB, the limit .ulimit -[vd]. "
                      "of [0-9]+ MB leaves, "
                      "beside the [0-9]+ MB of the program itself, [0-9]+ MB; use a smaller .*\n"));
    }
    EXPECT_GT(refused, 0);
    EXPECT_LT(refused, 7);
  }
}

// The loader, OpenBLAS and its exit handler also meet the limit; `timeout` says 124.
TEST(Memory, ALimitOfAnySizeEndsInOneLineOrARun) {
  if (!runs_under_limits()) GTEST_SKIP() << "this build has sanitizers";
  std::vector<int> sizes(20, 130);  // a thread that OpenBLAS started could wait in one case of fifteen
  sizes.insert(sizes.end(), {20, 40, 70, 80, 100, 150, 170, 200, 250, 300, 400});
  for (const int megabytes : sizes) {
    const std::string limit = "timeout 60 prlimit --as=" + std::to_string(megabytes) + "000000 ";
    const int code = run_with("train", steps + "--threads=1 --out run", ">out.txt 2>errors.txt", limit);
    EXPECT_NE(code, 124) << megabytes;
    if (code != 0) {
      EXPECT_EQ(std::ranges::count(file("errors.txt"), '\n'), 1) << megabytes << file("errors.txt");
    }
  }
}

TEST(Memory, AStackThatIsTooSmallIsRefusedBeforeAnythingIsWritten) {
  const std::string arguments = steps + "--threads=2 --out run";
  EXPECT_EQ(run_with("train", arguments, ">out.txt 2>errors.txt", "prlimit --stack=262144 "), 2);
  EXPECT_EQ(file("errors.txt"),
            "train: the limit of the stack is 256 kB, expected at least 512 kB; raise it (ulimit -s)\n");
  EXPECT_FALSE(exists("run"));
  EXPECT_EQ(run_with("train", arguments, ">out.txt", "prlimit --stack=524288 "), 0);
}

TEST(Memory, ThatAFileCannotHaveIsSaidWithItsName) {
  if (!runs_under_limits()) GTEST_SKIP() << "this build has sanitizers";
  write("model", "");
  std::filesystem::resize_file(own_folder() / "model", 8'000'000'000);  // sparse
  EXPECT_EQ(run_with("generate", "--model model", "2>errors.txt", "prlimit --as=2000000000 "), 2);
  EXPECT_EQ(file("errors.txt"), "generate: model: got 8000.0 MB, more than there is memory for\n");
}

TEST(Memory, ARunThatNeedsMoreThanThereIsIsRefusedBeforeItStarts) {
  const std::string sizes = without("model.d_model", without("evaluate.lengths", steps)) +
                            "--model.d_model=2048 --model.encoding=none --out run ";
  for (const std::string& too_large :
       {sizes + "--model.d_model=65536 --model.layers=1000", sizes + "--evaluate.lengths=1x,10000000"}) {
    expect_refused("train", too_large, "out of memory: this run needs about ");
    EXPECT_FALSE(exists("run"));
  }
}

// Tables that are learned need memory for every position, computed ones do not.
TEST(Memory, OfAHugeRangeOfPositionsIsNeededByLearnedTablesAlone) {
  const std::string run = steps + "--experiment.seeds=1 --out run --compare.model.encoding=";
  const std::string range = "(max_position=900000000)";
  expect_refused("extrapolation", run + "'learned@randomized" + range + ",none'",
                 "out of memory: this run needs about ");
  const Outcome computed = run_well("extrapolation",
                                    run + "'rope@randomized" + range + ",sinusoidal@random_shift" + range +
                                        ",transformer_xl@spaced" + range + "'",
                                    "prlimit --as=4000000000");
  EXPECT_EQ(computed.out.find("fails"), std::string::npos) << computed.out;
}

// The limit falls after the training, while one of a hundred lengths is scored.
TEST(Memory, ThatEvaluationCannotHaveLeavesTheCheckpoint) {
  if (!runs_under_limits()) GTEST_SKIP() << "this build has sanitizers";
  std::string lengths = "--evaluate.lengths=16";
  for (int length = 17; length < 117; ++length) lengths += "," + std::to_string(length);
  const std::string arguments = without("evaluate.lengths", steps) + lengths +
                                ",200000 --evaluate.batches=1 --model.encoding=none "
                                "--model.block=feed_forward --threads=1 --out run";
  const std::string command =
      "cd '" + own_folder().string() + "' && { " + started("train", arguments) +
      " 2>errors.txt >out.txt & while [ ! -e run/checkpoint.safetensors ] && kill -0 $!; do "
      "sleep 0.01; done; prlimit --pid $! --as=100000000; wait $!; }";
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 1);
  EXPECT_THAT(file("errors.txt"), HasSubstr("train: out of memory: use a smaller "));
  EXPECT_EQ(std::ranges::count(file("errors.txt"), '\n'), 1);
  EXPECT_EQ(metadata("run", "step"), "3");
}

TEST(Signals, ThatTheParentIgnoresStayIgnored) {
  const std::string command =
      "cd '" + own_folder().string() + "' && trap '' HUP && { " +
      started("train", tiny + "--train.steps=400 --out run") +
      " >out.txt 2>&1 & pid=$!; "
      "until [ -e run/metrics.jsonl ]; do sleep 0.02; done; kill -HUP $pid; wait $pid; }";
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 0);
  EXPECT_THAT(file("out.txt"), HasSubstr("checkpoint: "));
}

TEST(Signals, OfAClosedTerminalSaveAsCtrlCDoes) {
  const Outcome stopped =
      run_until("run/metrics.jsonl", "HUP", "train", tiny + "--train.steps=100000 --out run");
  EXPECT_EQ(stopped.exit_code, 129) << stopped.err;
  EXPECT_THAT(stopped.err, HasSubstr("Continue with:"));
  EXPECT_GT(SafetensorsFile(own_folder() / "run/checkpoint.safetensors").metadata().at("step"), "0");
}

// Scoring that takes long, of a model for which readers take much less: no result shows that it was not waited for.
TEST(Signals, DuringScoringEndTheRunBeforeTheScoreIsThere) {
  const std::string run = one_seed +
                          "--train.steps=3 --train.warmup=1 --compare.model.encoding=none --threads=2 "
                          "--model.d_model=128 --model.layers=4 --evaluate.lengths=1x --evaluate.batch=64 "
                          "--evaluate.batches=1000 --out run";
  const Outcome stopped = run_until("run/cells/none/seed-1/metrics.jsonl", "TERM", "extrapolation", run, 2);
  EXPECT_EQ(stopped.exit_code, 143) << stopped.err;
  EXPECT_THAT(stopped.err, HasSubstr("Continue with:"));
  EXPECT_FALSE(exists("run/cells/none/seed-1/result.json"));
  EXPECT_EQ(metadata("run/cells/none/seed-1", "step"), "3");
}

}  // namespace
}  // namespace ordinal::experiments::testing
