// User errors: one clear line for each problem on stderr, exit code 2, nothing written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/experiments/drivers/program.h"

namespace ordinal::experiments::testing {
namespace {

using ::testing::HasSubstr;

void expect_message(const Outcome& outcome, const std::string& message, Index lines = 1) {
  EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
  EXPECT_EQ(outcome.error_lines(), lines) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr(message));
}

TEST(BadSettings, AnUnknownKeyNamesTheNearestWithFileAndLine) {
  write("a.cfg", "# comment\n[train]\nstepz = 3\n");
  expect_message(run_program("train", "--config a.cfg"),
                 "train: a.cfg:3: unknown key train.stepz (did you mean train.steps?)");
}

TEST(BadSettings, AllProblemsAreReportedAtOnce) {
  write("a.cfg", "[train]\nsteps = -1\nbatch = many\n[model]\nheads = 0\nfoo = 1\n");
  expect_message(run_program("extrapolation", "--config a.cfg --train.clip=big"),
                 "a.cfg:3: train.batch: got 'many'", 5);
}

TEST(BadSettings, ContradictionsAreReported) {
  expect_message(run_program("train", "--model.d_model=10 --model.heads=4"),
                 "model.d_model = 10 is not divisible by model.heads = 4");
  expect_message(run_program("train", "--model.d_model=9 --model.heads=3"),
                 "sinusoidal: needs an even width, got 9 (set pad_odd = true");
  expect_message(run_program("train", "--model.heads=4 --model.n_kv_heads=3"),
                 "not divisible by model.n_kv_heads = 3");
  expect_message(run_program("train", "--train.shards=3"), "expected a power of two");
  expect_message(run_program("train", "--train.steps=10 --train.warmup=20"),
                 "train.warmup = 20 exceeds train.steps = 10");
}

TEST(BadSettings, AnOddWidthIsFineWithPadding) {
  const Outcome outcome =
      run_program("train", tiny + "--model.d_model=9 --model.heads=3 --positional.pad_odd=true --out run");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
}

TEST(BadFiles, OfAConfig) {
  expect_message(run_program("train", "--config nothing.cfg"), "nothing.cfg: No such file or directory");
  expect_message(run_program("train", "--config ."), "is a directory");
  expect_message(run_program("train", "some.cfg"), "(for a config file: --config some.cfg)");
}

TEST(BadFiles, OfAText) {
  write("empty.txt", "");
  write("short.txt", std::string(600, 'x'));
  const std::string task = tiny + "--task.name=text --out run ";
  expect_message(run_program("train", task), "task.name = text needs a file: set task.file");
  expect_message(run_program("train", task + "--task.file=missing.txt"),
                 "missing.txt: No such file or directory");
  expect_message(run_program("train", task + "--task.file=."), "is a directory");
  expect_message(run_program("train", task + "--task.file=empty.txt"), "the file is empty");
  expect_message(run_program("train", task + "--task.file=short.txt --evaluate.lengths=1x,64"),
                 "600 bytes are too few for length 64: the validation part (the last tenth) has 60, expected "
                 "at least 65");
  EXPECT_FALSE(std::filesystem::exists(own_folder() / "run"));
}

// A file where a folder should be: not even root can write there.
TEST(BadFiles, OfAFolderForResults) {
  write("file", "x");
  for (const std::string program : {"train", "extrapolation", "encoding"}) {
    expect_message(run_program(program, (program == "encoding" ? "--quiet " : tiny) + "--out file/results"),
                   "file");
  }
}

class BadCheckpoint : public ::testing::Test {
 protected:
  void SetUp() override {
    const Outcome trained = run_program("train", tiny + "--out run");
    ASSERT_EQ(trained.exit_code, 0) << trained.err;
    whole_ = read_file(own_folder() / "run/checkpoint.safetensors");
  }
  std::string whole_;
};

TEST_F(BadCheckpoint, TruncatedForeignOrCorruptIsRefused) {
  write("truncated.safetensors", whole_.substr(0, whole_.size() / 2));
  write("foreign.safetensors", "PK\x03\x04 this is no checkpoint at all");
  std::string corrupt = whole_;
  corrupt[9] = '!';
  write("corrupt.safetensors", corrupt);
  for (const std::string name : {"truncated", "foreign", "corrupt", "missing"}) {
    expect_message(run_program("generate", "--model " + name + ".safetensors"), name + ".safetensors");
    expect_message(
        run_program("parity", "--tokens t.npy --targets t.npy --out o --model " + name + ".safetensors"),
        name + ".safetensors");
  }
}

TEST_F(BadCheckpoint, ATruncatedOneIsNotTrainedOnAndNotLost) {
  write("run/checkpoint.safetensors", whole_.substr(0, 1000));
  expect_message(run_program("train", tiny + "--out run"), "checkpoint.safetensors: truncated");
  EXPECT_EQ(read_file(own_folder() / "run/checkpoint.safetensors"), whole_.substr(0, 1000));
}

TEST_F(BadCheckpoint, OfAnotherConfigIsRefusedByTheFirstSettingThatDiffers) {
  expect_message(
      run_program("train", tiny + "--out run --model.d_model=32"),
      "it was trained with model.d_model = 16, this run has 32; choose another --out, or remove it");
  EXPECT_EQ(read_file(own_folder() / "run/checkpoint.safetensors"), whole_);
}

TEST(BadExtrapolation, ResultsOfOtherSettingsAreNotMixed) {
  const std::string run = tiny + "--experiment.seeds=1 --positional.encodings=none --out run ";
  ASSERT_EQ(run_program("extrapolation", run).exit_code, 0);
  expect_message(run_program("extrapolation", run + "--train.learning_rate=0.5"),
                 "it holds results with train.learning_rate = 0.001, this run has 0.5");
}

TEST(BadArguments, OptionsThatAreMissingOrUnknown) {
  expect_message(run_program("generate", ""), "--model is missing");
  expect_message(run_program("train", "--train.step=3"),
                 "unknown option --train.step (did you mean --train.steps?)");
  expect_message(run_program("train", "--quie"),
                 "unknown option --quie (did you mean --quiet?)");  // no guessing
  expect_message(run_program("train", "--threads=-1"), "--threads: got -1");
}

}  // namespace
}  // namespace ordinal::experiments::testing
