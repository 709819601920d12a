// Programs on several ranks: the same bits as one process, through every kind of end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/experiments/drivers/experiment.h"
#include "tests/experiments/drivers/mpirun.h"

namespace ordinal::experiments::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

const std::string four_shards =
    tiny + "--train.batch=8 --train.shards=4 --train.steps=100 --train.checkpoint_every=30 ";

class Mpi : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_mpi) GTEST_SKIP() << "built without ORDINAL_MPI";
  }
};

class MpiSlow : public Mpi {};

// All that a training leaves but its log, which holds times.
void expect_same_training(const std::string& a, const std::string& b) {
  EXPECT_EQ(file(a + "/checkpoint.safetensors"), file(b + "/checkpoint.safetensors"));
  EXPECT_EQ(file(a + "/resolved.cfg"), file(b + "/resolved.cfg"));
}

TEST_F(Mpi, RanksTrainTheSameBits) {
  train(four_shards + "--threads=2 --out one");
  for (const int ranks : {1, 2, 4}) {
    for (const int threads : {1, 2}) {
      const std::string out = std::to_string(ranks) + "x" + std::to_string(threads);
      const Outcome outcome = run_well(
          "train", four_shards + "--threads=" + std::to_string(threads) + " --out " + out, mpirun(ranks));
      EXPECT_THAT(outcome.out, HasSubstr("checkpoint: " + out + "/checkpoint.safetensors\n"));
      expect_same_training(out, "one");
    }
  }
}

TEST_F(MpiSlow, AnInterruptedTrainingContinuesOnAnotherNumberOfRanks) {
  const std::string longer = four_shards + "--train.steps=3000 --threads=1 ";
  train(longer + "--out one");
  Index lines = 4;
  for (const int ranks : {4, 2}) {
    const Outcome outcome =
        run_until("some/metrics.jsonl", "USR1", "train", longer + "--out some", lines, mpirun(ranks));
    EXPECT_NE(outcome.exit_code, 0);
    EXPECT_THAT(outcome.err,
                HasSubstr("interrupted; everything so far is saved. Continue with:\n  mpirun -n " +
                          std::to_string(ranks)));
    lines = std::ranges::count(file("some/metrics.jsonl"), '\n') + 4;
  }
  train(longer + "--out some");
  expect_same_training("some", "one");
}

TEST_F(Mpi, AnImpossibleNumberOfRanksIsOneLine) {
  for (const int ranks : {3, 8}) {
    const Outcome outcome = run_program("train", four_shards + "--out run", mpirun(ranks));
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(lines_of("train", outcome), "train: " + std::to_string(ranks) +
                                              " ranks cannot share a batch of 4 shards, expected a power of "
                                              "two up to 4 (train.shards sets it)\n");
  }
}

TEST_F(Mpi, WhatFailsOnEveryRankIsSaidOnce) {
  const Outcome unknown = run_program("train", four_shards + "--tran.steps=3", mpirun(2));
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_EQ(lines_of("train", unknown),
            "train: command line: unknown option --tran.steps (did you mean --train.steps?)\n");
  write("file", "");
  const Outcome first =
      run_program("train", four_shards + "--out file/run", mpirun(2));  // only rank 0 writes
  EXPECT_EQ(first.exit_code, 2);
  EXPECT_THAT(lines_of("train", first), HasSubstr("file/run"));
  EXPECT_EQ(std::ranges::count(lines_of("train", first), '\n'), 1);
}

TEST_F(MpiSlow, ARankThatFailsAloneEndsAll) {
  const Outcome outcome = run_program("train", four_shards + "--out run",
                                      mpirun(2) + on_rank(1, R"(set -- "$@" --config missing.cfg)"));
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(lines_of("train", outcome), HasSubstr("missing.cfg"));
}

const std::string rope_alone = tiny + "--experiment.seeds=1 --positional.encodings=rope --out run ";

// What `program` says, on two ranks, if rank 1 runs `command` first; it writes nothing.
std::string refusal(const std::string& program, const std::string& arguments, const std::string& command) {
  const Outcome outcome = run_program(program, arguments, mpirun(2) + on_rank(1, command));
  EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_FALSE(exists("run"));
  return lines_of(program, outcome);
}

TEST_F(Mpi, RanksWithOtherSettingsOrOptionsAreRefused) {
  const std::string expected = ", expected the same settings, options and data on all ranks\n";
  for (const auto& [option, difference] :
       std::map<std::string, std::string>{{"--train.steps=5", "train.steps: 20 on rank 0, 5 on rank 1"},
                                          {"--dry-run", "--dry-run: nothing on rank 0, given on rank 1"},
                                          {"--help", "--help: nothing on rank 0, given on rank 1"}}) {
    EXPECT_EQ(refusal("extrapolation", rope_alone, "set -- \"$@\" " + option),
              "extrapolation: " + difference + expected);
  }
  EXPECT_EQ(refusal("train", tiny + "--out run", "set -- \"$@\" --train.log_every=7"),
            "train: train.log_every: 5 on rank 0, 7 on rank 1" + expected);
  EXPECT_EQ(refusal("train", tiny + "--out run", "exec \"${0%train}extrapolation\" \"$@\""),
            "train: program: train on rank 0, extrapolation on rank 1" + expected);
}

TEST_F(Mpi, RanksThatReadOtherTextsAreRefused) {
  std::filesystem::create_directories(own_folder() / "other");
  write("book.txt", std::string(2000, 'a'));
  write("other/book.txt", std::string(2000, 'b'));
  for (const std::string program : {"extrapolation", "train"}) {
    const std::string said =
        refusal(program, tiny + "--task.name=text --task.file=book.txt --out run", "cd other");
    EXPECT_THAT(said, StartsWith(program + ": data of text(file=book.txt): "));
    EXPECT_THAT(said, MatchesRegex(".*: [0-9a-f]+ on rank 0, [0-9a-f]+ on rank 1, expected .*\n"));
  }
}

TEST_F(Mpi, RanksMayHaveOtherThreadsAndConfigFilesOfTheSameSettings) {
  write("a.cfg", "[train]\nsteps = 5\n");
  write("b.cfg", "[train]\nsteps = 5\nbatch = 4\n");
  run_well("extrapolation", rope_alone + "--config a.cfg",
           mpirun(2) + on_rank(1, "set -- \"$@\" --config b.cfg --threads=2 --jobs=1"));
}

TEST_F(Mpi, RanksWithOtherProductsAreWarned) {
  const std::string loud = four_shards.substr(four_shards.find("--model"));
  EXPECT_THAT(run_program("train", loud + "--out same", mpirun(2)).err, Not(HasSubstr("warning")));
  const Outcome outcome =
      run_well("train", loud + "--out run", mpirun(2) + on_rank(1, "export ORDINAL_PRODUCTS=openblas"));
  EXPECT_THAT(outcome.err, HasSubstr("warning: the ranks have other versions or products"));
}

// All ranks meet it at the same step.
TEST_F(MpiSlow, RanksDivergeAsOneProcess) {
  const std::string too_fast = four_shards +
                               "--train.optimizer=sgd --train.clip=0 --train.warmup=0 --threads=1 "
                               "--positional.encoding=none --train.learning_rate=1e6 "
                               "--train.on_divergence=skip ";
  const Outcome one = run_program("train", too_fast + "--out one");
  const Outcome two = run_program("train", too_fast + "--out two", mpirun(2));
  EXPECT_EQ(one.exit_code, 1) << one.err;
  EXPECT_EQ(two.exit_code, 1) << two.err;
  EXPECT_EQ(lines_of("train", two), one.err);
  EXPECT_EQ(file("two/checkpoint.safetensors"), file("one/checkpoint.safetensors"));
}

const std::string three_trainings =
    tiny +
    "--train.batch=8 --train.shards=4 --train.steps=100 --experiment.seeds=1 "
    "--positional.encodings=none,rope,rope@contiguous:yarn,alibi --threads=2 ";

void expect_same_bytes(const std::string& a, const std::string& b) {
  expect_same_experiment(a, b);
  for (const std::string& folder : trainings(a)) {
    const std::string checkpoint = "/cells/" + folder + "/checkpoint.safetensors";
    EXPECT_EQ(file(a + checkpoint), file(b + checkpoint));
  }
}

std::string table_of(const Outcome& outcome) { return outcome.out.substr(0, outcome.out.find("report: ")); }

// Of 8 ranks some have nothing to do.
TEST_F(MpiSlow, AnExperimentDoesNotDependOnTheRanks) {
  const Outcome one = extrapolate(three_trainings + "--out one");
  for (const int ranks : {1, 2, 4, 8}) {
    const std::string out = std::to_string(ranks);
    const Outcome outcome = run_well("extrapolation", three_trainings + "--out " + out, mpirun(ranks));
    EXPECT_EQ(table_of(outcome), table_of(one));
    expect_same_bytes(out, "one");
  }
}

// Values that are chosen for each row, a second stage, and a row that diverges.
TEST_F(MpiSlow, AnExperimentOfAllKindsDoesNotDependOnTheRanks) {
  const std::string kinds = without("train.warmup", tiny) +
                            "--train.batch=8 --train.shards=4 --train.optimizer=sgd --train.clip=0 "
                            "--experiment.seeds=1 --compare.train.learning_rate=1e-2,1e6 "
                            "--compare.tune.train.warmup=1,5 --finetune.steps=20 --finetune.length=2x ";
  const Outcome one = extrapolate(kinds + "--out one");
  for (const int ranks : {3, 4}) {
    const std::string out = std::to_string(ranks);
    const Outcome outcome = run_well("extrapolation", kinds + "--out " + out, mpirun(ranks));
    EXPECT_EQ(table_of(outcome), table_of(one));
    expect_same_bytes(out, "one");
  }
}

TEST_F(MpiSlow, AnInterruptedExperimentContinuesOnAnotherNumberOfRanks) {
  const std::string longer = three_trainings + "--train.steps=2000 ";
  extrapolate(longer + "--out one");
  const std::string log = "some/cells/none/seed-1/metrics.jsonl";
  for (const int ranks : {8, 2}) {
    const Index lines = 4 + (ranks == 8 ? 0 : std::ranges::count(file(log), '\n'));
    const Outcome outcome =
        run_until(log, "USR1", "extrapolation", longer + "--out some", lines, mpirun(ranks));
    EXPECT_NE(outcome.exit_code, 0);
    EXPECT_THAT(outcome.err, HasSubstr("interrupted; everything so far is saved."));
  }
  extrapolate(longer + "--out some");
  expect_same_bytes("some", "one");
}

TEST_F(MpiSlow, ClaimsDoNotDependOnTheRanks) {
  const std::string config =
      "[experiment]\nseeds = 5\n[task]\ntrain_length = 16\n[model]\nd_model = 16\nlayers = 1\nheads = 2\n"
      "[positional]\nencodings = none, alibi\n[train]\nsteps = 20\nwarmup = 5\nbatch = 4\n"
      "[evaluate]\nlengths = 1x, 2x\nbatches = 1\n";
  std::filesystem::create_directories(own_folder() / "mine");
  write("mine/a.cfg", config + "[claim A]\nstatement = bits(none, 1x) > 6\nseeds = all\n");
  write("mine/b.cfg", "[claim B]\nstatement = bits(alibi, 2x) < 9\n[experiment]\nname = other\n" + config);
  const std::string command = "--quiet --claims.folder=mine --threads=1 --out ";
  run_well("claims", command + "one");
  run_well("claims", command + "two", mpirun(2));
  for (const std::string name : {"extrapolation", "other"}) {
    EXPECT_EQ(file("two/" + name + "/seeds.csv"), file("one/" + name + "/seeds.csv"));
    EXPECT_EQ(file("two/" + name + "/manifest.json"), file("one/" + name + "/manifest.json"));
  }
  const auto decided = [](const std::string& out) {
    const std::string table = file(out + "/claims.csv");
    return table.substr(table.find("\nA,"));
  };
  EXPECT_EQ(decided("two"), decided("one"));
}

// Each rank trains one of the rows when another folder takes the place of theirs.
TEST_F(Mpi, NoRankWritesInAFolderThatIsBegunAgain) {
  const std::string begun = "run/cells/none/seed-1 run/cells/rope/seed-1";
  const std::string command = "cd '" + own_folder().string() +
                              "' && mkdir -p next/cells/none/seed-1 next/cells/rope/seed-1 && { env " +
                              mpirun(2) + " " + quoted_program("extrapolation") + tiny +
                              "--train.log_every=1 --train.steps=20000 --experiment.seeds=1 "
                              "--positional.encodings=none,rope --threads=1 "
                              "--out run >stdout.txt 2>stderr.txt & for cell in " +
                              begun +
                              "; do until [ -s $cell/metrics.jsonl ]; do sleep 0.02; done; done; mv run "
                              "gone; mv next run; wait $!; }";
  const int status = std::system(command.c_str());
  EXPECT_EQ(WEXITSTATUS(status), 2);
  const std::string lines = lines_of("extrapolation", {.exit_code = 2, .out = "", .err = file("stderr.txt")});
  EXPECT_THAT(lines,
              HasSubstr("extrapolation: run: the folder or its .lock was removed while this run wrote"));
  EXPECT_EQ(std::ranges::count(lines, '\n'), 1);
  EXPECT_TRUE(contents("run").empty());
}

}  // namespace
}  // namespace ordinal::experiments::testing
