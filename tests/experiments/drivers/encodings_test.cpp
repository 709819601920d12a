// Every encoding and position scheme through the programs: they train, extrapolate, generate and are plotted, from settings
// and from checkpoints.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "experiments/results/npy.h"
#include "experiments/results/result.h"
#include "framework/positional/position_scheme.h"
#include "framework/storage/safetensors.h"
#include "tests/experiments/drivers/program.h"
#include "tests/experiments/whole.h"

namespace ordinal::experiments::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

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
  const Outcome trained = run_program("train", steps + "--out run --positional.encoding=" + GetParam() +
                                                   (of_task ? " --task.name=copy" : ""));
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
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

TEST(Entries, OfOneExperimentMayDifferInPositionsAlone) {
  const Outcome outcome = run_program(
      "extrapolation",
      steps + "--experiment.seeds=1 --out run --positional.encodings=rope,rope@yarn,rope@contiguous:ntk");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto value = [](const std::string& entry, std::size_t length) {
    const CellResult cell =
        cell_from_json(read_file(own_folder() / "run/cells" / entry / "seed-1/result.json"));
    return Whole(cell.scores[length]).value;
  };
  EXPECT_EQ(value("rope", 0), value("rope@yarn", 0));  // at the training length there is nothing to stretch
  EXPECT_NE(value("rope", 1), value("rope@yarn", 1));
  EXPECT_NE(value("rope", 1), value("rope@contiguous:ntk", 1));
}

TEST(Refused, AnEncodingThatCannotHoldThePositionsOfTrainingFailsAndTheOthersGoOn) {
  const Outcome outcome = run_program(
      "extrapolation",
      steps + "--experiment.seeds=1 --out run --positional.encodings=xpos,none --positional.xpos_scale=0.1");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto scores = [](const std::string& name) {
    return cell_from_json(read_file(own_folder() / ("run/cells/" + name + "/seed-1/result.json"))).scores;
  };
  EXPECT_TRUE(scores("xpos")[0].failed);
  EXPECT_THAT(scores("xpos")[0].why, HasSubstr("in training: xpos: "));
  EXPECT_FALSE(scores("none")[1].failed);
  EXPECT_THAT(read_file(own_folder() / "run/report.html"), HasSubstr("fails"));
}

// A learned table has no rows for a test that starts at 5, nor for the pictures at those positions.
TEST(Refused, PositionsOfTheTestLeaveTheReport) {
  const Outcome outcome = run_program(
      "extrapolation",
      steps +
          "--experiment.seeds=1 --out run --positional.encodings=learned,none,rope --positional.offset=5");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("fails"));
  EXPECT_TRUE(std::filesystem::exists(own_folder() / "run/report.html"));
}

TEST(Checkpoint, GeneratesAtOtherPositionsIfAsked) {
  ASSERT_EQ(run_program("train", steps + "--out run --positional.encoding=rope@randomized").exit_code, 0);
  const std::string generate =
      "--quiet --model run/checkpoint.safetensors --generate.length=70 --generate.temperature=0 ";
  const Outcome refused = run_program("generate", generate);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("71 tokens need as many positions, got 64 (raise max_position)"));
  EXPECT_EQ(run_program("generate", generate + "--positional.max_position=100").exit_code, 0);
  EXPECT_EQ(run_program("generate", generate + "--positional.positions=contiguous").exit_code, 0);
}

TEST(Checkpoint, IsComparedByParityAtItsOwnPositions) {
  ASSERT_EQ(run_program("train", steps + "--out run --positional.encoding=rope@interpolated "
                                         "--positional.scale=2")
                .exit_code,
            0);
  const std::vector<std::int64_t> tokens = {1, 5, 2, 7, 3, 9, 4, 8};
  write_npy(own_folder() / "t.npy", {1, 8}, std::span<const std::int64_t>(tokens));
  const auto loss = [](const std::string& options) {
    const Outcome outcome = run_program(
        "parity",
        "--quiet --model run/checkpoint.safetensors --tokens t.npy --targets t.npy --out o " + options);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.out;
  };
  EXPECT_EQ(loss(""), loss("--positional.test_positions=interpolated"));
  EXPECT_EQ(loss(""), loss("--positional.encoding=rope@interpolated --model.ff=64 --model.n_kv_heads=2"));
  EXPECT_NE(loss(""), loss("--positional.test_positions=contiguous"));
}

TEST(Checkpoint, IsDrawnAtTheRandomPositionsOfItsSeed) {
  const std::string positions = " --positional.positions='random_float(max_position=64)' ";
  const auto angles = [&](const std::string& arguments) {
    const Outcome outcome = run_program("encoding", "--quiet --dump angles.npy " + arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return read_file(own_folder() / "angles.npy");
  };
  const std::string rope =
      positions + "--encoding.name=rope --encoding.d_model=16 --encoding.heads=2 --encoding.seq_len=16 ";
  EXPECT_NE(angles(rope), angles(rope + "--train.seed=3"));
  ASSERT_EQ(run_program("train", steps + positions + "--positional.encoding=rope --train.seed=3 --out run")
                .exit_code,
            0);
  EXPECT_EQ(angles("--model run/checkpoint.safetensors"), angles(rope + "--train.seed=3"));
}

TEST(Checkpoint, OfAnotherModelIsRefusedByEveryProgram) {
  ASSERT_EQ(run_program("train", steps + "--out run --positional.encoding=rope").exit_code, 0);
  for (const auto& [program, option] :
       {std::pair{"generate", "--positional.encoding=t5"}, std::pair{"generate", "--task.name=copy"},
        std::pair{"encoding", "--positional.pairing=half"}, std::pair{"encoding", "--encoding.d_model=32"},
        std::pair{"train", "--positional.positions=yarn --out run"}}) {
    expect_refused(program, std::string("--quiet --model run/checkpoint.safetensors ") + option,
                   "run/checkpoint.safetensors");
  }
}

TEST(Checkpoint, KeepsTheRangeOfItsTest) {
  ASSERT_EQ(run_program("train", steps + "--out run --positional.encoding=rope@contiguous:spaced "
                                         "--evaluate.lengths=1x,4x")
                .exit_code,
            0);
  EXPECT_EQ(
      SafetensorsFile(own_folder() / "run/checkpoint.safetensors").metadata().at("positional.test_positions"),
      "spaced(max_position=128)");
  EXPECT_EQ(run_program("train", steps + "--out run --positional.encoding=rope@contiguous:spaced "
                                         "--evaluate.lengths=1x,8x")
                .exit_code,
            0);
}

// A file of weights only: the given settings describe the model.
TEST(Checkpoint, WithoutMetadataIsWhatTheSettingsSayItIs) {
  ASSERT_EQ(run_program("train", steps + "--out run --positional.encoding=rope").exit_code, 0);
  const SafetensorsFile whole(own_folder() / "run/checkpoint.safetensors");
  SafetensorsWriter bare;
  std::map<std::string, std::vector<float>> values;
  for (const std::string& name : whole.names()) {
    if (!name.starts_with("optimizer.")) values[name] = whole.values<float>(name);
  }
  for (const auto& [name, numbers] : values) bare.add(name, whole.shape(name), numbers);
  bare.write(own_folder() / "bare.safetensors");
  const Outcome outcome = run_program("encoding",
                                      "--quiet --model bare.safetensors --model.d_model=16 --model.layers=1 "
                                      "--model.heads=2 --positional.encoding=rope --dump angles.npy");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
}

TEST(Checkpoint, IsDrawnAsTheEncodingThatItHas) {
  ASSERT_EQ(run_program("train", steps + "--out run --positional.encoding=rope").exit_code, 0);
  const std::string model =
      "--quiet --model run/checkpoint.safetensors --dump angles.npy --encoding.seq_len=9 ";
  const Outcome refused = run_program("encoding", model + "--encoding.name=t5");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err,
              HasSubstr("encoding.name = t5, but that of run/checkpoint.safetensors is rope; leave it out"));
  ASSERT_EQ(run_program("encoding", model).exit_code, 0);
  const std::vector<double> plain = read_npy(own_folder() / "angles.npy").reals();
  ASSERT_EQ(
      run_program("encoding", model + "--positional.positions=interpolated --positional.scale=2").exit_code,
      0);
  EXPECT_EQ(read_npy(own_folder() / "angles.npy").reals().back(), plain.back() / 2.0);
  EXPECT_THAT(run_program("encoding",
                          "--model run/checkpoint.safetensors --encoding.sentence='a b' "
                          "--encoding.reordered='b a'")
                  .err,
              HasSubstr("encoding.sentence is read by models of random weights"));
}

TEST(Positions, OfTooSmallARangeAreRefusedBeforeAnythingIsWritten) {
  const Outcome outcome = run_program(
      "train", steps + "--positional.encoding=rope@randomized --positional.max_position=9 --out run");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err,
              HasSubstr("max_position = 9 is less than 16, expected as many positions as tokens"));
  EXPECT_FALSE(std::filesystem::exists(own_folder() / "run"));
}

TEST(Positions, ThatMeanNothingForAnEncodingAreRefused) {
  for (const auto& [entry, why] :
       {std::pair{"none@randomized", "none takes no positions"},
        std::pair{"alibi@yarn", "alibi rotates nothing"},
        std::pair{"rope@backwards", "got 'backwards', expected one of contiguous"}}) {
    const Outcome outcome = run_program("train", steps + "--positional.encoding=" + entry);
    EXPECT_EQ(outcome.exit_code, 2) << entry;
    EXPECT_THAT(outcome.err, HasSubstr(why)) << entry;
  }
}

}  // namespace
}  // namespace ordinal::experiments::testing
