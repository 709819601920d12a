// Every encoding and position scheme through the programs: they train, extrapolate, generate, are plotted,
// and can be fine-tuned.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "experiments/report/result.h"
#include "framework/positional/position_scheme.h"
#include "framework/storage/npy.h"
#include "framework/storage/safetensors.h"
#include "tests/experiments/drivers/program.h"
#include "tests/experiments/whole.h"

namespace ordinal::experiments::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const std::string steps = tiny + "--train.steps=3 --train.warmup=1 ";

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
  const Outcome trained = run_program("train", steps + "--out run --positional.encoding=" + GetParam());
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  EXPECT_EQ(trained.out.find("nan"), std::string::npos) << trained.out;
  const std::string model = "--model run/checkpoint.safetensors ";
  const bool table_ends = GetParam() == "learned";  // after 16 tokens
  EXPECT_EQ(trained.out.find("fails") != std::string::npos, table_ends) << trained.out;
  const Outcome text = run_program("generate", model + "--generate.length=" + (table_ends ? "9" : "30"));
  EXPECT_EQ(text.exit_code, 0) << text.err;
  const Outcome drawn = run_program("encoding", model + "--quiet --out drawn");
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

TEST(FineTuning, StartsFromTheParametersAndKnowsTheirTrainingLength) {
  ASSERT_EQ(run_program("train", steps + "--out first --positional.encoding=rope").exit_code, 0);
  const std::string longer =
      steps +
      "--model first/checkpoint.safetensors --positional.encoding=rope "
      "--positional.positions=interpolated --task.train_length=32 --evaluate.lengths=32 ";
  ASSERT_EQ(run_program("train", longer + "--train.steps=0 --train.warmup=0 --out copied").exit_code, 0);
  const SafetensorsFile first(own_folder() / "first/checkpoint.safetensors");
  const SafetensorsFile copied(own_folder() / "copied/checkpoint.safetensors");
  const std::string weight = "block.0.attention.qkv.weight";
  EXPECT_EQ(first.values<float>(weight), copied.values<float>(weight));
  EXPECT_EQ(copied.metadata().at("positional.train_length"), "16");
  ASSERT_EQ(run_program("train", longer + "--out tuned").exit_code, 0);
  EXPECT_NE(SafetensorsFile(own_folder() / "tuned/checkpoint.safetensors").values<float>(weight),
            first.values<float>(weight));
}

const std::string few_steps =
    "--quiet --train.steps=3 --train.warmup=1 --train.batch=4 --evaluate.batches=1 --evaluate.lengths=1x ";

TEST(FineTuning, TakesWhatIsNotGivenFromTheCheckpoint) {
  ASSERT_EQ(run_program("train", steps + "--out first --positional.encoding=rope --model.activation=relu "
                                         "--positional.base=auto --task.name=copy")
                .exit_code,
            0);
  const std::string model = "--model first/checkpoint.safetensors ";
  const Outcome tuned = run_program(
      "train", few_steps + model + "--task.train_length=24 --positional.positions=yarn --out second");
  ASSERT_EQ(tuned.exit_code, 0) << tuned.err;
  const auto first = SafetensorsFile(own_folder() / "first/checkpoint.safetensors").metadata();
  const auto second = SafetensorsFile(own_folder() / "second/checkpoint.safetensors").metadata();
  for (const char* key : {"task.name", "model.d_model", "model.heads", "model.block", "positional.encoding",
                          "positional.train_length"}) {
    EXPECT_EQ(first.at(key), second.at(key)) << key;
  }
  EXPECT_THAT(second.at("model.block"), HasSubstr("activation=relu"));
  EXPECT_THAT(second.at("positional.encoding"), StartsWith("rope(base=52.5"));  // that of 33 tokens
  EXPECT_EQ(second.at("task.train_length"), "24");
  EXPECT_THAT(second.at("positional.positions"), StartsWith("yarn("));
  EXPECT_EQ(second.at("positional.test_positions"), second.at("positional.positions"));
}

// The settings of the first training, with all automatic values resolved, given again.
TEST(FineTuning, GoesOnFromTheResolvedConfigOfTheFirstTraining) {
  ASSERT_EQ(
      run_program("train", steps + "--out first --positional.encoding=rope --positional.base=auto").exit_code,
      0);
  const Outcome tuned = run_program(
      "train",
      "--quiet --config first/resolved.cfg --model first/checkpoint.safetensors --task.train_length=32 "
      "--positional.positions=interpolated --positional.rotary_fraction=1.0 --out second");
  ASSERT_EQ(tuned.exit_code, 0) << tuned.err;
  const auto first = SafetensorsFile(own_folder() / "first/checkpoint.safetensors").metadata();
  const auto second = SafetensorsFile(own_folder() / "second/checkpoint.safetensors").metadata();
  for (const char* key : {"model.vocab_size", "positional.train_length", "positional.encoding"}) {
    EXPECT_EQ(first.at(key), second.at(key)) << key;
  }
  EXPECT_THAT(second.at("positional.encoding"), Not(HasSubstr("auto")));
}

// As in a training from the start, where the key positional.offset applies to the test only.
TEST(FineTuning, LaysGivenOptionsOverThePositionsThatTheyBelongTo) {
  ASSERT_EQ(run_program("train", steps + "--out first --positional.encoding=rope").exit_code, 0);
  const std::string model = few_steps + "--model first/checkpoint.safetensors --out second --dry-run ";
  const auto positions = [&](const std::string& options) {
    return run_program("train", model + options).out;
  };
  EXPECT_THAT(positions("--positional.offset=5"),
              HasSubstr("positions contiguous, in the test contiguous from 5\n"));
  EXPECT_THAT(positions("--positional.positions='contiguous(offset=5)'"),
              HasSubstr("positions contiguous from 5\n"));
  EXPECT_THAT(positions("--positional.positions=interpolated --positional.scale=3"),
              HasSubstr("positions interpolated, s 3\n"));
  EXPECT_THAT(positions("--positional.encoding='rope@interpolated(scale=3):ntk' --positional.scale=2"),
              HasSubstr("positions interpolated, s 3, in the test ntk, s 2\n"));
  EXPECT_EQ(run_program("train", model + "--positional.encoding=rope@ntk@yarn").exit_code, 2);
}

TEST(FineTuning, GivesAnotherTaskItsOptions) {
  ASSERT_EQ(run_program("train", steps + "--out first --task.name=copy").exit_code, 0);
  const Outcome second = run_program("train", few_steps +
                                                  "--model first/checkpoint.safetensors --task.name=reverse "
                                                  "--task.symbols=8 --out second");
  ASSERT_EQ(second.exit_code, 0) << second.err;
  EXPECT_EQ(SafetensorsFile(own_folder() / "second/checkpoint.safetensors").metadata().at("task.name"),
            "reverse(symbols=8)");
}

TEST(FineTuning, RefusesAModelOfOtherSettingsAndWritesNothing) {
  ASSERT_EQ(run_program("train", steps + "--out first --positional.encoding=rope").exit_code, 0);
  for (const auto& [option, message] :
       {std::pair{"--positional.encoding=t5", "positional.encoding = rope, command line says t5"},
        std::pair{"--positional.encoding=xpos@yarn", "positional.encoding = rope, command line says xpos"},
        std::pair{"--positional.encoding='rope(pairing=half)'",
                  "positional.pairing = interleaved, command line says half"},
        std::pair{"--model.ff=48", "model.ff = 64, command line says 48"},
        std::pair{"--model.block=attention,gated_linear",
                  "model.block = attention, feed_forward, command line says "
                  "attention,gated_linear"},
        std::pair{"--model.activation=relu", "model.activation = gelu, command line says relu"},
        std::pair{"--model.causal=false", "model.causal = true, command line says false"},
        std::pair{"--model.n_kv_heads=1", "model.n_kv_heads = 2, command line says 1"},
        std::pair{"--positional.pairing=half", "positional.pairing = interleaved, command line says half"}}) {
    for (const char* dry : {"", " --dry-run"}) {
      const Outcome outcome = run_program(
          "train", few_steps + "--model first/checkpoint.safetensors --out second " + option + dry);
      EXPECT_EQ(outcome.exit_code, 2) << option;
      EXPECT_EQ(outcome.error_lines(), 1) << outcome.err;
      EXPECT_THAT(outcome.err, HasSubstr("first/checkpoint.safetensors: it was trained with "));
      EXPECT_THAT(outcome.err, HasSubstr(message));
      EXPECT_FALSE(std::filesystem::exists(own_folder() / "second"));
    }
  }
}

TEST(FineTuning, OfATableThatEndsNamesTheWayOut) {
  ASSERT_EQ(run_program("train", steps + "--out first --positional.encoding=learned").exit_code, 0);
  const std::string longer =
      few_steps + "--model first/checkpoint.safetensors --task.train_length=24 --out second ";
  const Outcome outcome = run_program("train", longer);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(
      outcome.err,
      HasSubstr("learned: max_seq_len = 16 is less than the 24 positions of training: there is no row for "
                "the others (a new model can have more; finetune.encoding = learned gives a trained one "
                "more; else set overflow to clamp or interpolate)"));
  EXPECT_FALSE(std::filesystem::exists(own_folder() / "second"));
  EXPECT_EQ(run_program("train", longer + "--positional.overflow=interpolate").exit_code, 0);
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

TEST(Checkpoint, PositionsCanBeChosenAnewForGeneration) {
  ASSERT_EQ(run_program("train", steps + "--out run --positional.encoding=rope@randomized").exit_code, 0);
  const std::string generate =
      "--quiet --model run/checkpoint.safetensors --generate.length=70 --generate.temperature=0 ";
  const Outcome refused = run_program("generate", generate);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("71 tokens need as many positions, got 64 (raise max_position)"));
  EXPECT_EQ(run_program("generate", generate + "--positional.max_position=100").exit_code, 0);
  EXPECT_EQ(run_program("generate", generate + "--positional.positions=contiguous").exit_code, 0);
}

TEST(Checkpoint, IsHeldAgainstOthersAtItsOwnPositions) {
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

TEST(Checkpoint, OfAnotherModelIsRefusedByEveryProgram) {
  ASSERT_EQ(run_program("train", steps + "--out run --positional.encoding=rope").exit_code, 0);
  for (const auto& [program, option] :
       {std::pair{"generate", "--positional.encoding=t5"}, std::pair{"generate", "--task.name=copy"},
        std::pair{"encoding", "--positional.pairing=half"}, std::pair{"encoding", "--encoding.d_model=32"},
        std::pair{"train", "--positional.positions=yarn --out run"}}) {
    const Outcome outcome =
        run_program(program, std::string("--quiet --model run/checkpoint.safetensors ") + option);
    EXPECT_EQ(outcome.exit_code, 2) << program << option;
    EXPECT_EQ(outcome.error_lines(), 1) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("run/checkpoint.safetensors")) << program << option;
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
TEST(Checkpoint, WithoutMetadataIsWhatThePersonSaysItIs) {
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

TEST(Dump, WritesTheMatrixThatIsAskedFor) {
  const std::string alibi =
      "--encoding.name=alibi --encoding.seq_len=6 --encoding.heads=2 --encoding.d_model=8 ";
  ASSERT_EQ(run_program("encoding", alibi + "--dump bias.npy").exit_code, 0);
  const NpyArray bias = read_npy(own_folder() / "bias.npy");
  ASSERT_EQ(bias.shape, (Shape{2, 6, 6}));
  EXPECT_EQ(bias.reals()[6 * 5 + 1], -4.0 / 16.0);  // head 1, query 5, key 1
  EXPECT_EQ(bias.reals()[5], 0.0);                  // query 0 does not see key 5
  ASSERT_EQ(run_program("encoding",
                        "--encoding.name=rope --encoding.seq_len=5 --encoding.d_model=16 --encoding.heads=2 "
                        "--dump angles.npy")
                .exit_code,
            0);
  const NpyArray angles = read_npy(own_folder() / "angles.npy");
  ASSERT_EQ(angles.shape, (Shape{5, 4}));
  EXPECT_NEAR(angles.reals()[4 * 4 + 1], 4.0 * std::pow(10000.0, -2.0 / 8.0), 1e-12);
  ASSERT_EQ(
      run_program("encoding", "--encoding.seq_len=5 --encoding.d_model=6 --dump input.npy --encoding.heads=2")
          .exit_code,
      0);
  EXPECT_EQ(read_npy(own_folder() / "input.npy").shape, (Shape{5, 6}));
}

const std::string few = "--quiet --encoding.seq_len=9 --encoding.d_model=8 --encoding.heads=2 ";

TEST(Dump, WritesTheScoresOfEveryEncoding) {
  for (const EncodingEntry& entry : encodings().entries()) {
    ASSERT_EQ(run_program("encoding", few + "--dump scores.npy --encoding.name=" + entry.name).exit_code, 0);
    const NpyArray scores = read_npy(own_folder() / "scores.npy");
    ASSERT_EQ(scores.shape, (Shape{2, 9, 9}));
    EXPECT_EQ(scores.reals()[1], 0.0);  // query 0 does not see key 1
    EXPECT_NE(scores.reals()[9], 0.0);  // query 1 sees key 0
  }
}

TEST(Dump, WritesTheScoresOfGivenQueriesAndKeys) {
  const std::vector<double> ones(9 * 8, 1.0);
  write_npy(own_folder() / "ones.npy", {9, 8}, ones);
  ASSERT_EQ(
      run_program("encoding", few + "--encoding.name=alibi --query ones.npy --key ones.npy --dump scores.npy")
          .exit_code,
      0);
  const std::vector<double> scores = read_npy(own_folder() / "scores.npy").reals();
  EXPECT_DOUBLE_EQ(scores[9 * 8 + 3], 4.0 / 2.0 - 5.0 / 16.0);  // q·k/√d_h and 5 keys of slope 1/16
}

TEST(Dump, WritesTheMatrixOfAnyOffset) {
  ASSERT_EQ(run_program("encoding", few + "--dump shift-7.npy").exit_code, 0);
  const NpyArray shift = read_npy(own_folder() / "shift-7.npy");
  ASSERT_EQ(shift.shape, (Shape{8, 8}));
  EXPECT_NEAR(shift.reals()[0], std::cos(7.0), 1e-12);
  EXPECT_NEAR(shift.reals()[1], std::sin(7.0), 1e-12);
}

TEST(EncodingProgram, SaysWhetherTheScoreDependsOnTheDistanceAlone) {
  const auto text = [](const std::string& name) {
    const Outcome outcome = run_program("encoding", few + "--out drawn --encoding.name=" + name);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.out.substr(outcome.out.find(name + ": ")),
              read_file(own_folder() / "drawn/statistics.txt"));
    return outcome.out;
  };
  EXPECT_THAT(text("rope"), HasSubstr("rope: the score depends on i - j alone: off Toeplitz by "));
  EXPECT_THAT(text("sinusoidal"), HasSubstr("sinusoidal: the score does not depend on i - j alone"));
  EXPECT_THAT(text("none"), HasSubstr("none: the score is the same for all positions i and j"));
}

TEST(EncodingProgram, WritesTheTermsOfAnInputOnly) {
  ASSERT_EQ(run_program("encoding", few + "--out drawn").exit_code, 0);
  EXPECT_EQ(read_npy(own_folder() / "drawn/terms.npy").shape, (Shape{4, 2, 9, 9}));
  EXPECT_THAT(read_file(own_folder() / "drawn/statistics.txt"), HasSubstr("position-position "));
  ASSERT_EQ(run_program("encoding", few + "--out other --encoding.name=alibi").exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(own_folder() / "other/terms.npy"));
}

TEST(EncodingProgram, DrawsAtGivenPositionsAndTheirOffsets) {
  const std::string at = "--quiet --encoding.d_model=8 --encoding.heads=2 --out drawn --encoding.positions=";
  const Outcome far = run_program("encoding", at + "5,10,15,100,1000");
  ASSERT_EQ(far.exit_code, 0) << far.err;
  EXPECT_THAT(far.out, HasSubstr("positions: 5, 10, 15, 100, 1000\n"));
  EXPECT_THAT(far.out, HasSubstr("no shift-k.npy and rotation_error.csv: M_k needs consecutive positions"));
  EXPECT_FALSE(std::filesystem::exists(own_folder() / "drawn/rotation_error.csv"));
  const NpyArray input = read_npy(own_folder() / "drawn/input.npy");
  ASSERT_EQ(input.shape, (Shape{5, 8}));
  EXPECT_NEAR(input.reals()[4 * 8], std::sin(1000.0), 1e-9);
  ASSERT_EQ(run_program("encoding", at + "3,4,5 --encoding.offsets=2").exit_code, 0);
  EXPECT_EQ(read_npy(own_folder() / "drawn/shift-2.npy").shape, (Shape{8, 8}));
  EXPECT_THAT(run_program("encoding", at + "3,4,9 --encoding.offsets=2").err,
              HasSubstr("encoding.offsets = 2 would change nothing: M_k needs consecutive positions"));
  EXPECT_THAT(run_program("encoding", few + "--encoding.offsets=2 --encoding.name=rope").err,
              HasSubstr("encoding.offsets = 2 would change nothing: rope adds nothing to the input"));
}

TEST(EncodingProgram, ComparesTwoOrdersOfASentence) {
  const std::string sentence = few + "--out drawn --encoding.name=rope --encoding.sentence='a b c' ";
  const Outcome outcome = run_program("encoding", sentence + "--encoding.reordered='c b a'");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("\nnone      bidirectional "));
  EXPECT_THAT(outcome.out, HasSubstr("\nrope      causal "));
  EXPECT_FALSE(read_file(own_folder() / "drawn/sentences.csv").empty());
  const Outcome refused = run_program("encoding", sentence + "--encoding.reordered='c b d'");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(refused.error_lines(), 1) << refused.err;
  EXPECT_THAT(run_program("encoding", sentence + "--encoding.reordered='c b a' --dump input.npy").err,
              HasSubstr("encoding.sentence would change nothing: --dump writes one matrix"));
}

// A table of two rows serves no third word.
TEST(EncodingProgram, WritesNothingIfTheEncodingEndsBeforeTheSentence) {
  const Outcome outcome = run_program("encoding",
                                      "--quiet --encoding.name=learned --encoding.seq_len=2 --out drawn "
                                      "--encoding.sentence='a b c' --encoding.reordered='c b a'");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(own_folder() / "drawn"));
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

TEST(Dump, SaysWhatAnEncodingDoesNotHave) {
  const Outcome outcome = run_program("encoding", "--encoding.name=rope --dump bias.npy");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("rope has no bias.npy"));
  EXPECT_THAT(run_program("encoding", "--dump table.npy").err,
              HasSubstr("expected input.npy, angles.npy, bias.npy, scores.npy, terms.npy or shift-K.npy"));
  EXPECT_THAT(run_program("encoding", "--dump shift-128.npy").err,
              HasSubstr("got shift-128.npy, expected an offset below the 128 positions"));
  EXPECT_THAT(run_program("encoding", "--encoding.name=alibi --dump shift-7.npy").err,
              HasSubstr("alibi adds nothing to the input"));
  EXPECT_THAT(run_program("encoding", "--encoding.name=rope --dump terms.npy").err,
              HasSubstr("rope has no terms.npy"));
}

TEST(EncodingProgram, LeavesOutScoresOfManyPositions) {
  const Outcome outcome =
      run_program("encoding", "--quiet --encoding.name=rope --encoding.seq_len=20000 --out pe");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("rope: no scores.npy: too many positions; --dump scores.npy writes it"));
  EXPECT_TRUE(std::filesystem::exists(own_folder() / "pe/angles.npy"));
}

TEST(EncodingList, NamesEveryEncodingAndWhatItAccepts) {
  const Outcome outcome = run_program("encoding", "--list");
  for (const EncodingEntry& entry : encodings().entries()) {
    EXPECT_THAT(outcome.out, HasSubstr("\n  formula     " + entry.formula)) << entry.name;
    EXPECT_THAT(outcome.out, HasSubstr(entry.source)) << entry.name;
  }
  EXPECT_THAT(outcome.out, HasSubstr("causal models only"));
}

}  // namespace
}  // namespace ordinal::experiments::testing
