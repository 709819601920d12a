// Learned absolute positions: which rows of the table tokens read, and how many rows it has. That backward is the gradient
// is in tests/models/every_model_test.cpp, what is refused in refusals_test.cpp.

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "tests/framework/positional/rig.h"

namespace ordinal {
namespace {

// N(0, 0.02) is meant as a standard deviation of 0.02, as in BERT and GPT-2, whose embeddings are as small.
TEST(LearnedEncoding, StartsWithMeanZeroAndTheStandardDeviationThatIsSet) {
  for (const auto& [entry, sd] : {std::pair("learned", 0.5), std::pair("learned(init_sd=0.02)", 0.02)}) {
    testing::Rig<> learned(entry, {.train_length = 1024, .positions = 1024});
    double mean = 0.0;
    double square = 0.0;
    const View<double> table = learned.value("learned.table");
    for (Index i = 0; i < table.size(); ++i) {
      mean += table.data[i] / static_cast<double>(table.size());
      square += table.data[i] * table.data[i] / static_cast<double>(table.size());
    }
    EXPECT_NEAR(mean, 0.0, 5.0 * sd / 256.0);
    EXPECT_NEAR(std::sqrt(square), sd, 0.02 * sd);
  }
}

TEST(LearnedEncoding, HasAsManyRowsAsTrainingNeedsUnlessToldOtherwise) {
  struct Rows {
    std::string text;
    ModelShape shape;
    Index expected;
  };
  const Rows all[] = {
      {"learned", {.train_length = 32, .positions = 32}, 32},
      {"learned", {.train_length = 32, .positions = 90, .longest = 256}, 90},
      {"learned(max_seq_len=0)", {.train_length = 32, .positions = 8}, 32},
      {"learned(max_seq_len=40)", {.train_length = 32, .positions = 32}, 40},
      {"learned(overflow=untrained)", {.train_length = 32, .positions = 32, .longest = 256}, 256},
      {"learned(overflow=clamp)", {.train_length = 32, .positions = 32, .longest = 256}, 32},
      {"learned(max_seq_len=5, overflow=clamp)", {.positions = 1'000'000'000'000}, 5},
      {"learned(max_seq_len=5, overflow=interpolate)", {}, 5},
  };
  for (const auto& [text, shape, expected] : all)
    EXPECT_EQ(testing::Rig<>(text, shape).value("learned.table").rows, expected) << text;
}

// The overflow of a table that holds all of training affects only the test; else training also depends on it.
TEST(LearnedEncoding, SaysWhatDependsOnTheOverflow) {
  const auto binds = [](const std::string& text) {
    return encodings().find("learned").resolve(parse_part(text), {}).front().binds;
  };
  EXPECT_EQ(binds("learned(overflow=clamp)"), Binds::test);
  EXPECT_EQ(binds("learned(max_seq_len=5, overflow=clamp)"), Binds::training);
}

// The rows of a table of `rows` that tokens read, in the order of sequences; between two of them, linearly.
struct Reading {
  std::string name;
  Index rows;
  std::string overflow;
  Positions positions;
  std::vector<double> read;
};

std::vector<double> counted(Index count) {
  std::vector<double> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0.0);
  return numbers;
}

// clang-format off
const Reading readings[] = {
    {"TheFirstRowsForEverySequence", 8, "error", Positions::contiguous(3, 4), {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3}},
    {"AnOffsetGivesLaterRows", 10, "error", Positions::contiguous(1, 3, 6.0), {6, 7, 8}},
    {"EachSequenceMayHaveItsOwn", 8, "error", Positions::per_sequence(2, {0, 1, 5, 2, 5, 7}), {0, 1, 5, 2, 5, 7}},
    {"BetweenRowsAreLinear", 4, "error", Positions::shared(1, {1.25, 3}), {1.25, 3}},
    // Positions interpolated into the range of training, and random real ones, end below max_seq_len.
    {"BetweenTheLastRowAndTheEndTakeTheLastRow", 4, "error", Positions::shared(1, {3.5, 3.99}), {3, 3}},
    {"ClampTakesTheLastRow", 4, "clamp", Positions::contiguous(1, 7), {0, 1, 2, 3, 3, 3, 3}},
    {"InterpolateFitsTheLongestOnTheLastRow", 4, "interpolate", Positions::contiguous(1, 7),
     {0, 0.5, 1, 1.5, 2, 2.5, 3}},
    {"InterpolateLeavesWhatFits", 4, "interpolate", Positions::contiguous(1, 3), {0, 1, 2}},
    {"InterpolateScalesEachSequenceByItself", 4, "interpolate", Positions::per_sequence(2, {1, 2, 3, 9}), {1, 2, 1, 3}},
    {"UntrainedIsATableForTheTest", 12, "untrained", Positions::contiguous(1, 12), counted(12)},
};
// clang-format on

class LearnedReading : public ::testing::TestWithParam<Reading> {};

TEST_P(LearnedReading, AddsTheseRowsAndGivesThemTheGradient) {
  const auto& [name, rows, overflow, positions, read] = GetParam();
  testing::Rig<> learned("learned(overflow=" + overflow + ")",
                         {.d_model = 2, .heads = 1, .train_length = rows, .positions = rows});
  const View<double> table = learned.value("learned.table");
  const Tensor<double> x = testing::normal_tensor({positions.batch(), positions.seq_len(), 2}, 2);
  const Tensor<double> y = learned.at(positions).input(x);
  EXPECT_EQ(y.shape(), x.shape());
  const Tensor<double> dx = learned.input_backward(x);
  EXPECT_TRUE(std::ranges::equal(dx.span(), x.span()));  // addition passes the gradient through
  Tensor<double> d_table({rows, 2});
  for (std::size_t t = 0; t < read.size(); ++t) {
    const auto below = static_cast<Index>(read[t]);
    const Index above = std::min(below + 1, rows - 1);
    const double share = read[t] - static_cast<double>(below);
    for (const Index c : {0, 1}) {
      const double in = x(static_cast<Index>(t), c);
      EXPECT_NEAR(y(static_cast<Index>(t), c), in + (1.0 - share) * table(below, c) + share * table(above, c),
                  1e-15)
          << "token " << t;
      d_table(below, c) += (1.0 - share) * in;
      d_table(above, c) += share * in;
    }
  }
  for (Index r = 0; r < rows; ++r) {
    for (const Index c : {0, 1})
      EXPECT_NEAR(learned.gradient("learned.table")(r, c), d_table(r, c), 1e-14) << "row " << r;
  }
}

INSTANTIATE_TEST_SUITE_P(Positions, LearnedReading, ::testing::ValuesIn(readings),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace ordinal
