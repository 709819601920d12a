// The program encoding: matrices, statistics, the gallery, and the list of encodings.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "experiments/report/html.h"
#include "experiments/results/npy.h"
#include "framework/positional/positional_encoding.h"
#include "tests/experiments/drivers/program.h"

namespace ordinal::experiments::testing {
namespace {

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
  EXPECT_THAT(run_program("encoding", few + "--encoding.offsets=2 --encoding.name=rope").err,
              HasSubstr("encoding.offsets = 2 would change nothing: rope adds nothing to the input"));
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
  EXPECT_THAT(refused("--encoding.names=rope,ropes"),
              HasSubstr("got 'ropes' (did you mean rope?), expected one of"));
  EXPECT_THAT(refused("--encoding.names='rope(base=x)'"), HasSubstr("rope: base: got 'x'"));
  EXPECT_THAT(refused("--encoding.names=rope,rope"), HasSubstr("rope is listed more than once"));
  EXPECT_THAT(refused("--encoding.names=rope --encoding.name=alibi"),
              HasSubstr("encoding.name and encoding.names set the same"));
  EXPECT_THAT(refused("--encoding.sentence='a b'"),
              HasSubstr("encoding.sentence is read with encoding.names"));
  EXPECT_THAT(refused("--encoding.names=rope --encoding.reordered='man bites cat'"),
              HasSubstr("encoding.reordered: got 'man bites cat', expected the words of encoding.sentence"));
  EXPECT_THAT(refused("--encoding.names=xpos --encoding.causal=false"),
              HasSubstr("xpos is defined only where no token sees later ones"));
  EXPECT_THAT(refused("--encoding.names='none, learned(max_seq_len=4)' --encoding.seq_len=9"),
              HasSubstr("max_seq_len = 4 is less than the 9 positions"));
  EXPECT_THAT(refused("--encoding.names='none, learned' --encoding.seq_len=2"),
              HasSubstr("sequence length 3 exceeds max_seq_len 2"))
      << "a table of two rows serves no third word";
  train(steps + "--model.encoding=learned --out run");
  EXPECT_EQ(refused("--model run/checkpoint.safetensors --encoding.names=rope"),
            "encoding: encoding.names = rope, but a checkpoint has one encoding; leave it or --model out\n");
}

}  // namespace
}  // namespace ordinal::experiments::testing
