// Encodings and positions through the programs, from settings and from checkpoints.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/results/npy.h"
#include "tests/experiments/drivers/experiment.h"

namespace ordinal::experiments::testing {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

TEST(Refused, AnEncodingThatCannotHoldThePositionsOfTrainingFailsAndTheOthersGoOn) {
  extrapolate(steps + "--experiment.seeds=1 --out run --compare.model.encoding='xpos(xpos_scale=0.1),none'");
  EXPECT_TRUE(wholes(result("xpos_xpos_scale=0.1"))[0].failed);
  EXPECT_THAT(wholes(result("xpos_xpos_scale=0.1"))[0].why, HasSubstr("in training: xpos: "));
  EXPECT_FALSE(wholes(result("none"))[1].failed);
  EXPECT_THAT(read_file(own_folder() / "run/report.html"), HasSubstr("fails"));
}

// A learned table has no rows for a test that starts at 5, nor for the pictures at those positions.
TEST(Refused, PositionsOfTheTestLeaveTheReport) {
  const Outcome outcome =
      extrapolate(steps +
                  "--experiment.seeds=1 --out run "
                  "--compare.model.encoding='learned@contiguous:contiguous(offset=5),none,"
                  "rope@contiguous:contiguous(offset=5)'");
  EXPECT_THAT(outcome.out, HasSubstr("fails"));
  EXPECT_TRUE(exists("run/report.html"));
}

TEST(Checkpoint, GeneratesAtOtherPositionsIfAsked) {
  train(steps + "--out run --model.encoding=rope@randomized");
  const std::string generate =
      "--quiet --model run/checkpoint.safetensors --generate.length=70 --generate.temperature=0 ";
  expect_refused("generate", generate, "71 tokens need as many positions, got 64 (raise max_position)");
  run_well("generate", generate + "--model.encoding='rope@randomized(max_position=100)'");
  run_well("generate", generate + "--model.encoding=rope@contiguous");
}

TEST(Checkpoint, IsComparedByParityAtItsOwnPositions) {
  train(steps + "--out run --model.encoding='rope@interpolated(scale=2)'");
  const std::vector<std::int64_t> tokens = {1, 5, 2, 7, 3, 9, 4, 8};
  write_npy(own_folder() / "t.npy", {1, 8}, std::span<const std::int64_t>(tokens));
  const auto loss = [](const std::string& options) {
    const Outcome outcome = run_well(
        "parity",
        "--quiet --model run/checkpoint.safetensors --tokens t.npy --targets t.npy --out o " + options);
    return outcome.out;
  };
  EXPECT_EQ(loss(""), loss("--model.encoding=rope"));
  EXPECT_EQ(loss(""), loss("--model.encoding=rope@interpolated --model.n_kv_heads=2 "
                           "--model.block='attention, feed_forward(ff=64)'"));
  EXPECT_NE(loss(""), loss("--model.encoding=rope@interpolated:contiguous"));
}

TEST(Checkpoint, IsDrawnAtTheRandomPositionsOfItsSeed) {
  const std::string encoding = "'rope@random_float(max_position=64)' ";
  const auto angles = [&](const std::string& arguments) {
    run_well("encoding", "--quiet --out drawn " + arguments);
    return read_file(own_folder() / "drawn/angles.npy");
  };
  const std::string rope =
      "--encoding.name=" + encoding + "--encoding.d_model=16 --encoding.heads=2 --encoding.seq_len=16 ";
  EXPECT_NE(angles(rope), angles(rope + "--train.seed=3"));
  train(steps + "--model.encoding=" + encoding + "--train.seed=3 --out run");
  EXPECT_EQ(angles("--model run/checkpoint.safetensors"), angles(rope + "--train.seed=3"));
}

TEST(Checkpoint, OfAnotherModelIsRefusedByEveryProgram) {
  train(steps + "--out run --model.encoding=rope");
  for (const auto& [program, option] :
       {std::pair{"generate", "--model.encoding=t5"}, std::pair{"generate", "--task.name=copy"},
        std::pair{"encoding", "--model.encoding='rope(pairing=half)'"},
        std::pair{"encoding", "--encoding.d_model=32"},
        std::pair{"train", "--model.encoding=t5 --out new"}}) {
    expect_refused(program, std::string("--quiet --model run/checkpoint.safetensors ") + option,
                   "run/checkpoint.safetensors");
  }
}

TEST(Checkpoint, KeepsTheRangeOfItsTest) {
  train(steps + "--out run --model.encoding=rope@contiguous:spaced --evaluate.lengths=1x,4x");
  EXPECT_THAT(metadata("run", "model.encoding"), EndsWith("@contiguous(offset=0):spaced(max_position=128)"));
  train(steps + "--out run --model.encoding=rope@contiguous:spaced --evaluate.lengths=1x,8x");
}

TEST(Checkpoint, IsDrawnAsTheEncodingThatItHas) {
  train(steps + "--out run --model.encoding=rope");
  const std::string model = "--quiet --model run/checkpoint.safetensors --out drawn --encoding.seq_len=9 ";
  expect_refused("encoding", model + "--encoding.name=t5",
                 "encoding.name = t5, but that of run/checkpoint.safetensors is rope; leave it out");
  run_well("encoding", model);
  const std::vector<double> plain = read_npy<double>(own_folder() / "drawn/angles.npy").values;
  run_well("encoding", model + "--model.encoding='rope@interpolated(scale=2)'");
  EXPECT_EQ(read_npy<double>(own_folder() / "drawn/angles.npy").values.back(), plain.back() / 2.0);
}

TEST(Positions, ThatNoTrainingOrTestCouldHaveAreRefusedBeforeAnythingIsWritten) {
  struct Beyond {
    std::string rows, why, task = "language";
  };
  for (const auto& [rows, why, task] :
       {Beyond{"rope@randomized(max_position=9)",
               "max_position = 9 is less than 16, expected as many positions as tokens"},
        Beyond{"none@randomized", "none takes no positions"}, Beyond{"alibi@yarn", "alibi rotates nothing"},
        Beyond{"rope@backwards", "got 'backwards', expected one of contiguous"},
        Beyond{"rope(base=auto)@contiguous:ntk(scale=0.05),none",
               "ntk: scale: got 0.05, expected a number of at least 1, or 0 for automatic"},
        Beyond{"none,rope@interpolated(scale=0.5)",
               "interpolated: scale: got 0.5, expected a number of at least 1, or 0 for automatic"},
        Beyond{"none,rope(base=1e300)@contiguous:ntk(scale=1e20)",
               "ntk: base 1e+300, raised for s = 1e+20, is infinite, expected a finite one (lower scale or "
               "base)"},
        Beyond{
            "none,rope(base=1.7e308)@contiguous:ntk",  // only at lengths past that of training
            "ntk: base 1.7e+308, raised for s = 2, is infinite, expected a finite one (lower scale or base)"},
        Beyond{"none,rope@task(max_position=17)",
               "the task gives positions up to 17, expected them below 17 (raise max_position)", "copy"}}) {
    expect_refused("extrapolation",
                   steps + "--experiment.seeds=1 --out run --task.name=" + task +
                       " --compare.model.encoding='" + rows + "'",
                   why);
    EXPECT_FALSE(exists("run")) << rows;
  }
}

}  // namespace
}  // namespace ordinal::experiments::testing
