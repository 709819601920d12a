// User errors: one clear line for each problem on stderr, exit code 2, nothing written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/experiments/drivers/program.h"

namespace ordinal::experiments::testing {
namespace {

using ::testing::HasSubstr;

TEST(BadSettings, AllProblemsAreReportedAtOnceWithFileAndLine) {
  write("a.cfg", "# comment\n[train]\nstepz = 3\nbatch = many\n");
  EXPECT_THAT(error_of("extrapolation", "--config a.cfg --train.clip=big", 3),
              HasSubstr("extrapolation: a.cfg:3: unknown key train.stepz (did you mean train.steps?)\n"
                        "extrapolation: a.cfg:4: train.batch: got 'many'"));
}

TEST(BadSettings, ContradictionsAreReported) {
  expect_refused("train", "--model.d_model=10 --model.heads=4", "d_model 10 is not divisible by heads 4");
}

TEST(BadFiles, OfAConfig) {
  expect_refused("train", "--config nothing.cfg", "nothing.cfg: No such file or directory");
  expect_refused("train", "--config .", "is a directory");
  expect_refused("train", "some.cfg", "(for a config file: --config some.cfg)");
}

class BadCheckpoint : public ::testing::Test {
 protected:
  void SetUp() override {
    train(tiny + "--out run");
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
    expect_refused("generate", "--model " + name + ".safetensors", name + ".safetensors");
    expect_refused("parity", "--tokens t.npy --targets t.npy --out o --model " + name + ".safetensors",
                   name + ".safetensors");
  }
}

TEST(BadArguments, OptionsThatAreMissingOrUnknown) {
  expect_refused("generate", "", "--model is missing (see generate --help)");
  expect_refused("train", "--quie", "unknown option --quie (did you mean --quiet?)");  // no guessing
}

}  // namespace
}  // namespace ordinal::experiments::testing
