// Every encoding and position scheme through the programs: they train, extrapolate, generate, are drawn, and
// can be trained further.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "experiments/report/result.h"
#include "framework/positional/position_scheme.h"
#include "framework/storage/npy.h"
#include "framework/storage/safetensors.h"
#include "tests/experiments/drivers/program.h"

namespace ordinal::testing {
namespace {

using ::testing::HasSubstr;

const std::string steps = tiny + "--train.steps=3 --train.warmup=1 ";

std::vector<std::string> entries() {
  std::vector<std::string> names;
  for (const EncodingEntry& entry : encoding_registry()) names.push_back(entry.name);
  for (const std::string& scheme : position_scheme_names()) names.push_back("rope@" + scheme);
  for (const char* mixed : {"learned@randomized:spaced", "alibi@random_float", "t5@randomized:contiguous",
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
    return cell_from_json(read_file(own_folder() / "run/cells" / entry / "seed-1/result.json"))
        .scores[length]
        .value;
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

TEST(FineTuning, RefusesACheckpointOfAnotherEncoding) {
  ASSERT_EQ(run_program("train", steps + "--out first --positional.encoding=rope").exit_code, 0);
  const Outcome outcome = run_program(
      "train", steps + "--model first/checkpoint.safetensors --positional.encoding=t5 --out second");
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_EQ(outcome.error_lines(), 1) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("first/checkpoint.safetensors: "));
  EXPECT_THAT(outcome.err, HasSubstr("no tensor positional.t5.bias"));
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

TEST(Positions, OfTooSmallARangeAreRefusedBeforeAnythingIsWritten) {
  const Outcome outcome = run_program(
      "train", steps + "--positional.encoding=rope@randomized --positional.max_position=9 --out run");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("positional.max_position = 9 is less than task.train_length = 16"));
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
              HasSubstr("expected input.npy, angles.npy or bias.npy"));
}

TEST(EncodingList, NamesEveryEncodingAndWhatItAccepts) {
  const Outcome outcome = run_program("encoding", "--list");
  for (const EncodingEntry& entry : encoding_registry()) {
    EXPECT_THAT(outcome.out, HasSubstr("\n  formula     " + entry.formula)) << entry.name;
    EXPECT_THAT(outcome.out, HasSubstr(entry.source)) << entry.name;
  }
  EXPECT_THAT(outcome.out, HasSubstr("causal models only"));
}

}  // namespace
}  // namespace ordinal::testing
