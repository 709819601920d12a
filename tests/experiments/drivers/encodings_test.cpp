// Every encoding and position scheme through the programs: they train, extrapolate, generate and are plotted, from settings
// and from checkpoints.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/results/npy.h"
#include "framework/positional/position_scheme.h"
#include "tests/experiments/drivers/experiment.h"

namespace ordinal::experiments::testing {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

std::vector<std::string> entries() {
  std::vector<std::string> names;
  for (const EncodingEntry& entry : encodings().entries()) names.push_back(entry.name);
  for (const std::string& scheme : position_schemes().names()) names.push_back("rope@" + scheme);
  for (const char* mixed : {"learned@interpolated", "learned@contiguous:interpolated", "learned@random_float",
                            "learned@randomized:spaced", "alibi@random_float", "t5@randomized:contiguous",
                            "sinusoidal+t5", "sinusoidal+rope@contiguous:yarn"}) {
    names.emplace_back(mixed);
  }
  return names;
}

class EveryEntry : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryEntry, TrainsIsScoredGeneratesAndIsDrawn) {
  const bool of_task = GetParam() == "rope@task";
  const Outcome trained =
      train(steps + "--out run --model.encoding=" + GetParam() + (of_task ? " --task.name=copy" : ""));
  EXPECT_EQ(trained.out.find("nan"), std::string::npos) << trained.out;
  const std::string model = "--model run/checkpoint.safetensors ";
  const bool table_ends = GetParam() == "learned" || GetParam() == "tupe";  // after 16 tokens
  EXPECT_EQ(trained.out.find("fails") != std::string::npos, table_ends) << trained.out;
  const Outcome text = run_program("generate", model + "--generate.length=" + (table_ends ? "9" : "30"));
  const Outcome drawn = run_program("encoding", model + "--quiet --out drawn");
  if (of_task) {  // nothing says which positions the tokens of a text have
    EXPECT_EQ(text.exit_code, 2);
    EXPECT_THAT(text.err, HasSubstr("positions = task: there is no example of a task"));
    EXPECT_EQ(drawn.exit_code, 2);
    return;
  }
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_EQ(drawn.exit_code, 0) << drawn.err;
}

INSTANTIATE_TEST_SUITE_P(All, EveryEntry, ::testing::ValuesIn(entries()), [](const auto& info) {
  std::string name = info.param;
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
});

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

// A file of weights only: nothing given can say that it fits.
TEST(Checkpoint, WithoutMetadataIsRefusedWhateverIsGiven) {
  train(steps + "--out run --model.encoding=rope");
  const SafetensorsFile whole(own_folder() / "run/checkpoint.safetensors");
  SafetensorsWriter bare;
  std::map<std::string, std::vector<float>> values;
  for (const std::string& name : whole.names()) values[name] = whole.values<float>(name);
  for (const auto& [name, numbers] : values) bare.add(name, whole.shape(name), numbers);
  bare.write(own_folder() / "bare.safetensors");
  expect_refused(
      "encoding",
      "--quiet --model bare.safetensors --model.d_model=16 --model.layers=1 --model.heads=2 "
      "--model.encoding=rope --out new",
      "bare.safetensors: its metadata lacks model.d_model, model.layers, model.heads, model.n_kv_heads, ");
  EXPECT_FALSE(exists("new"));
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

TEST(Positions, OfTooSmallARangeAreRefusedBeforeAnythingIsWritten) {
  expect_refused("train", steps + "--model.encoding='rope@randomized(max_position=9)' --out run",
                 "max_position = 9 is less than 16, expected as many positions as tokens");
  EXPECT_FALSE(exists("run"));
}

TEST(Positions, ThatNoTestCouldHaveAreRefusedBeforeAnythingIsWritten) {
  struct Beyond {
    std::string rows, task, why;
  };
  for (const auto& [rows, task, why] :
       {Beyond{"rope(base=auto)@contiguous:ntk(scale=0.05),none", "language",
               "ntk: scale: got 0.05, expected a number of at least 1, or 0 for automatic"},
        Beyond{"none,rope@interpolated(scale=0.5)", "language",
               "interpolated: scale: got 0.5, expected a number of at least 1, or 0 for automatic"},
        Beyond{"none,rope(base=1e300)@contiguous:ntk(scale=1e20)", "language",
               "ntk: base 1e+300, raised for s = 1e+20, is infinite, expected a finite one (lower scale or "
               "base)"},
        Beyond{
            "none,rope(base=1.7e308)@contiguous:ntk", "language",  // only at lengths past that of training
            "ntk: base 1.7e+308, raised for s = 2, is infinite, expected a finite one (lower scale or base)"},
        Beyond{"none,rope@task(max_position=17)", "copy",
               "the task gives positions up to 17, expected them below 17 (raise max_position)"}}) {
    expect_refused("extrapolation",
                   steps + "--experiment.seeds=1 --out run --task.name=" + task +
                       " --compare.model.encoding='" + rows + "'",
                   why);
    EXPECT_FALSE(exists("run")) << rows;
  }
}

TEST(Positions, ThatMeanNothingForAnEncodingAreRefused) {
  for (const auto& [entry, why] :
       {std::pair{"none@randomized", "none takes no positions"},
        std::pair{"alibi@yarn", "alibi rotates nothing"},
        std::pair{"rope@backwards", "got 'backwards', expected one of contiguous"}}) {
    expect_refused("train", steps + "--model.encoding=" + entry, why);
  }
}

}  // namespace
}  // namespace ordinal::experiments::testing
