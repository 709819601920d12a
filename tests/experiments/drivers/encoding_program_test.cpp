// The program encoding: matrices, statistics, the gallery, and the list of encodings.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "experiments/report/html.h"
#include "experiments/results/npy.h"
#include "framework/positional/positional_encoding.h"
#include "tests/experiments/drivers/experiment.h"

namespace ordinal::experiments::testing {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string few = "--quiet --encoding.seq_len=9 --encoding.d_model=8 --encoding.heads=2 ";

TEST(EncodingProgram, WritesMatrices) {
  const std::string alibi =
      "--quiet --encoding.name=alibi --encoding.seq_len=6 --encoding.heads=2 --encoding.d_model=8 ";
  run_well("encoding", alibi + "--out alibi");
  EXPECT_FALSE(exists("alibi/terms.npy"));  // which an input alone has
  const NpyArray<double> bias = read_npy<double>(own_folder() / "alibi/bias.npy");
  ASSERT_EQ(bias.shape, (Shape{2, 6, 6}));
  EXPECT_EQ(bias.values[6 * 5 + 1], -4.0 / 16.0);  // head 1, query 5, key 1
  EXPECT_EQ(bias.values[5], 0.0);                  // query 0 does not see key 5
  run_well("encoding",
           "--quiet --encoding.name=rope --encoding.seq_len=5 --encoding.d_model=16 --encoding.heads=2 --out "
           "rope");
  const NpyArray<double> angles = read_npy<double>(own_folder() / "rope/angles.npy");
  ASSERT_EQ(angles.shape, (Shape{5, 4}));
  EXPECT_NEAR(angles.values[4 * 4 + 1], 4.0 * std::pow(10000.0, -2.0 / 8.0), 1e-12);
  run_well("encoding", few + "--encoding.offsets=7 --out sines");
  EXPECT_EQ(read_npy<double>(own_folder() / "sines/input.npy").shape, (Shape{9, 8}));
  EXPECT_EQ(read_npy<double>(own_folder() / "sines/terms.npy").shape, (Shape{4, 2, 9, 9}));
  EXPECT_THAT(file("sines/statistics.txt"), HasSubstr("position-position "));
  const NpyArray<double> shift = read_npy<double>(own_folder() / "sines/shift-7.npy");
  ASSERT_EQ(shift.shape, (Shape{8, 8}));
  EXPECT_NEAR(shift.values[0], std::cos(7.0), 1e-12);
  EXPECT_NEAR(shift.values[1], std::sin(7.0), 1e-12);
}

TEST(RefusedStudy, OfNumbersThatAreNotFiniteWritesNothing) {
  expect_refused("encoding",
                 "--quiet --encoding.name='alibi(slope_scale=1e308)' --encoding.positions='0, 1e9' --out run",
                 "alibi(slope_scale=1e308): bias holds an infinite number, expected finite numbers");
  EXPECT_FALSE(exists("run"));
}

TEST(EncodingProgram, SaysWhetherTheScoreDependsOnTheDistanceAlone) {
  const auto text = [](const std::string& name) {
    const Outcome outcome = run_well("encoding", few + "--out drawn --encoding.name=" + name);
    EXPECT_EQ(outcome.out.substr(outcome.out.find(name + ": ")),
              read_file(own_folder() / "drawn/statistics.txt"));
    return outcome.out;
  };
  EXPECT_THAT(text("rope"), HasSubstr("rope: the score depends on i - j alone: off Toeplitz by "));
  EXPECT_THAT(text("sinusoidal"), HasSubstr("sinusoidal: the score does not depend on i - j alone"));
  EXPECT_THAT(text("none"), HasSubstr("none: the score is the same for all positions i and j"));
}

TEST(EncodingProgram, DrawsAtGivenPositionsAndTheirOffsets) {
  const std::string at = "--quiet --encoding.d_model=8 --encoding.heads=2 --out drawn --encoding.positions=";
  const Outcome far = run_well("encoding", at + "5,10,15,100,1000");
  EXPECT_THAT(far.out, HasSubstr("positions: 5, 10, 15, 100, 1000\n"));
  const NpyArray<double> input = read_npy<double>(own_folder() / "drawn/input.npy");
  ASSERT_EQ(input.shape, (Shape{5, 8}));
  EXPECT_NEAR(input.values[4 * 8], std::sin(1000.0), 1e-9);
  run_well("encoding", at + "3,4,5 --encoding.offsets=2");
  EXPECT_EQ(read_npy<double>(own_folder() / "drawn/shift-2.npy").shape, (Shape{8, 8}));
}

TEST(EncodingProgram, LeavesOutScoresOfManyPositions) {
  EXPECT_THAT(run_well("encoding", "--quiet --encoding.name=rope --encoding.seq_len=20000 --out pe").out,
              HasSubstr("rope: no scores.npy: more than 4096 positions"));
  EXPECT_TRUE(exists("pe/angles.npy"));
}

TEST(EncodingProgram, DrawsEachMatrixOnce) {
  run_well("encoding", few + "--out drawn --encoding.name=sinusoidal+alibi");
  for (const char* name : {"input", "gram", "similarity", "bias", "scores", "terms"})
    EXPECT_TRUE(exists(std::string("drawn/") + name + ".svg")) << name;
  EXPECT_THAT(read_file(own_folder() / "drawn/bias.svg"), HasSubstr(">heads 1, 2</text>"));
}

TEST(Gallery, IsOneFileWithEveryEncodingOfTheRegistry) {
  const std::string names = joined(encodings().names(), ",");
  const Outcome outcome = run_well("encoding", few + "--out drawn --encoding.names=" + names +
                                                   ",'rope(base=500, pairing=half)',sinusoidal+t5");
  EXPECT_EQ(outcome.out, "drawn/encodings.html\n");
  const std::string page = read_file(own_folder() / "drawn/encodings.html");
  for (const EncodingEntry& entry : encodings().entries()) {
    EXPECT_THAT(page, HasSubstr("<h2>" + entry.name + "</h2>"));
    EXPECT_THAT(page, HasSubstr("<td>" + escape_html(entry.source) + "</td>"));
    EXPECT_THAT(page, HasSubstr(">" + entry.name + ": " + escape_html(entry.formula) + "</p>"));
    EXPECT_THAT(page, HasSubstr(entry.name + ", causal</th>")) << "a line for two orders of a sentence";
    EXPECT_THAT(page, HasSubstr("<figcaption>" + entry.name + ": score</figcaption>"));
  }
  EXPECT_THAT(page, HasSubstr("<h2>rope(base=500, pairing=half)</h2>"));
  EXPECT_THAT(page, HasSubstr("<h2>sinusoidal+t5</h2>"));
  EXPECT_THAT(page, HasSubstr("rope: the score depends on i - j alone"));
  for (const char* active : {"<script", "src=", "url(", "<link"}) EXPECT_THAT(page, Not(HasSubstr(active)));
  EXPECT_FALSE(exists("drawn/statistics.txt"));
}

TEST(Gallery, ReadsASentenceOfYours) {
  run_well("encoding", few +
                           "--out drawn --encoding.names=rope --encoding.sentence='cats eat <b>' "
                           "--encoding.reordered='<b> eat cats'");
  const std::string page = read_file(own_folder() / "drawn/encodings.html");
  EXPECT_THAT(page, HasSubstr("Attention of “cats” on “&lt;b&gt;”"));
  EXPECT_THAT(page, Not(HasSubstr("<b>")));
}

TEST(Gallery, RefusesWhatItCannotDrawInOneLine) {
  const auto refused = [](const std::string& arguments) {
    std::string error = error_of("encoding", "--out drawn " + arguments);
    EXPECT_FALSE(exists("drawn")) << arguments;
    return error;
  };
  for (const std::string key : {"encoding.names", "encoding.positions", "encoding.offsets"})
    EXPECT_EQ(refused("--" + key + "=,"),
              "encoding: command line: " + key + ": got ',', expected at least one value\n");
  EXPECT_THAT(refused("--encoding.names=rope,rope"), HasSubstr("rope is listed more than once"));
  EXPECT_THAT(refused("--encoding.names=rope --encoding.name=alibi"),
              HasSubstr("encoding.names draws a gallery; leave it out, or encoding.name and --model"));
  EXPECT_THAT(refused("--encoding.sentence='a b'"),
              HasSubstr("encoding.sentence is read with encoding.names"));
  EXPECT_THAT(refused("--encoding.names='none, learned' --encoding.seq_len=2"),
              HasSubstr("sequence length 3 exceeds max_seq_len 2"))
      << "a table of two rows serves no third word";
  train(steps + "--model.encoding=learned --out run");
  EXPECT_THAT(refused("--model run/checkpoint.safetensors --encoding.names=rope"),
              HasSubstr("encoding.names draws a gallery"));
}

// ---- Encodings and positions in other programs, from settings and from checkpoints

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

}  // namespace
}  // namespace ordinal::experiments::testing
