#include "framework/positional/learned.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "framework/core/errors.h"
#include "framework/core/random.h"

namespace ordinal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// A learned encoding with its parameters and a pass.
class Learned {
 public:
  explicit Learned(Index max_seq_len, Index d_model, const std::string& overflow = "error")
      : encoding_(shape_of(max_seq_len, d_model), options_of(max_seq_len, d_model, overflow),
                  Scope(layout_, "learned")),
        values_(layout_),
        gradients_(layout_) {
    initialize(values_, 1);
  }

  Tensor<double> forward(const Tensor<double>& x, Positions positions) {
    pass_.begin({.positions = std::move(positions), .record = true});
    return copy(encoding_.encode_input(x.view(), pass_), x.shape());
  }
  Tensor<double> forward(const Tensor<double>& x) {
    return forward(x, Positions::contiguous(x.shape()[0], x.shape()[1]));
  }
  // dx; the table's gradient is added to grad_embedding().
  Tensor<double> backward(const Tensor<double>& dy) {
    return copy(encoding_.encode_input_backward(dy.view(), pass_), dy.shape());
  }

  View<double> table() { return values_["learned.table"]; }
  View<double> grad_embedding() { return gradients_["learned.table"]; }

 private:
  static ModelShape shape_of(Index max_seq_len, Index d_model) {
    return {.d_model = d_model, .train_length = max_seq_len, .positions = max_seq_len};
  }
  static LearnedOptions options_of(Index max_seq_len, Index d_model, const std::string& overflow) {
    return resolved_options<LearnedOptions>(
        "learned", {{"max_seq_len", std::to_string(max_seq_len)}, {"overflow", overflow}},
        shape_of(max_seq_len, d_model));
  }

  static Tensor<double> copy(View<const double> view, const Shape& shape) {
    return Tensor<double>(shape, {view.data, static_cast<std::size_t>(view.size())});
  }

  ParameterLayout layout_;
  LearnedPositionalEncoding<double> encoding_;
  Parameters<double> values_;
  Parameters<double> gradients_;
  Pass<double> pass_{values_, &gradients_};
};

Tensor<double> normal_tensor(Shape shape, std::uint64_t seed) {
  Tensor<double> tensor(std::move(shape));
  Random random({.seed = seed});
  for (double& value : tensor.span()) value = random.normal();
  return tensor;
}

double dot(const Tensor<double>& a, const Tensor<double>& b) {
  double total = 0.0;
  for (std::size_t i = 0; i < a.span().size(); ++i) total += a.span()[i] * b.span()[i];
  return total;
}

TEST(LearnedEncoding, ForwardKeepsTheShape) {
  Learned learned(128, 64);
  for (const Index batch : {1, 4, 16}) {
    for (const Index length : {1, 16, 128}) {
      EXPECT_EQ(learned.forward(Tensor<double>({batch, length, 64})).shape(), (Shape{batch, length, 64}));
    }
  }
}

TEST(LearnedEncoding, ForwardAddsTheFirstRowsToEverySequence) {
  Learned learned(8, 4);
  const Tensor<double> x = normal_tensor({3, 5, 4}, 2);
  const Tensor<double> y = learned.forward(x);
  for (Index r = 0; r < 15; ++r) {
    for (Index c = 0; c < 4; ++c) EXPECT_EQ(y(r, c), x(r, c) + learned.table()(r % 5, c));
  }
}

// The documents' N(0, 0.02) is meant as a standard deviation of 0.02, as in BERT and GPT-2.
TEST(LearnedEncoding, StartsWithMeanZeroAndStandardDeviationTwoHundredths) {
  Learned learned(1024, 64);
  double mean = 0.0;
  double square = 0.0;
  const View<double> table = learned.table();
  for (Index i = 0; i < table.size(); ++i) {
    mean += table.data[i] / static_cast<double>(table.size());
    square += table.data[i] * table.data[i] / static_cast<double>(table.size());
  }
  EXPECT_NEAR(mean, 0.0, 5.0 * 0.02 / 256.0);
  EXPECT_NEAR(std::sqrt(square), 0.02, 0.0004);
}

TEST(LearnedEncoding, ALongerSequenceThanTheTableIsAnErrorThatNamesTheWayOut) {
  Learned learned(100, 4);
  EXPECT_THAT(
      [&] {
        learned.forward(Tensor<double>({1, 200, 4}));
      },
      ThrowsMessage<PositionError>("LearnedPositionalEncoding: sequence length 200 exceeds max_seq_len "
                                   "100 (set overflow to clamp, interpolate or untrained)"));
  EXPECT_NO_THROW(learned.forward(Tensor<double>({1, 100, 4})));
  EXPECT_THAT(  // the offset of incremental decoding counts
      [&] {
        learned.forward(Tensor<double>({1, 10, 4}), Positions::contiguous(1, 10, 95.0));
      },
      ThrowsMessage<PositionError>(HasSubstr("sequence length 105 exceeds max_seq_len 100")));
}

TEST(LearnedEncoding, ATableWithoutRowsIsAnError) {
  EXPECT_THAT([] { Learned(-1, 4, "clamp"); },
              ThrowsMessage<ConfigError>(HasSubstr(
                  "learned: max_seq_len: got -1, expected a whole number from 1 to 1000000000, or 0")));
}

// Rows of the table that is made for a model.
Index rows(const std::string& text, const ModelShape& shape) {
  ParameterLayout layout;
  make_positional_encoding<float>(text, shape, Scope(layout));
  return layout.find("learned.table").shape.front();
}

TEST(LearnedEncoding, HasAsManyRowsAsTrainingNeedsUnlessToldOtherwise) {
  EXPECT_EQ(rows("learned", {.train_length = 32, .positions = 32}), 32);
  EXPECT_EQ(rows("learned", {.train_length = 32, .positions = 90, .longest = 256}), 90);
  EXPECT_EQ(rows("learned(max_seq_len=0)", {.train_length = 32, .positions = 8}), 32);
  EXPECT_EQ(rows("learned(max_seq_len=40)", {.train_length = 32, .positions = 32}), 40);
  EXPECT_EQ(rows("learned(overflow=untrained)", {.train_length = 32, .positions = 32, .longest = 256}), 256);
  EXPECT_EQ(rows("learned(overflow=clamp)", {.train_length = 32, .positions = 32, .longest = 256}), 32);
}

TEST(LearnedEncoding, HasNotMoreRowsThanAnyTableMayHave) {
  EXPECT_THAT([] { rows("learned", {.positions = 1'000'000'000'000}); },
              ThrowsMessage<ConfigError>(
                  HasSubstr("a row for each of 1000000000000 positions, expected at most 1e+09")));
  EXPECT_EQ(rows("learned(max_seq_len=5, overflow=clamp)", {.positions = 1'000'000'000'000}), 5);
}

TEST(LearnedEncoding, ATableThatEndsBeforeTrainingDoesIsAnErrorUnlessItsEndIsStretched) {
  for (const std::string overflow : {"error", "untrained"}) {
    EXPECT_THAT(
        [&] { rows("learned(max_seq_len=5, overflow=" + overflow + ")", {}); },
        ThrowsMessage<ConfigError>(HasSubstr("max_seq_len = 5 is less than the 64 positions of training")));
  }
  EXPECT_EQ(rows("learned(max_seq_len=5, overflow=clamp)", {}), 5);
  EXPECT_EQ(rows("learned(max_seq_len=5, overflow=interpolate)", {}), 5);
}

// The overflow of a table that holds all of training affects only the test; else training also depends on it.
TEST(LearnedEncoding, SaysWhatDependsOnTheOverflow) {
  const auto binds = [](const std::string& text) {
    return encodings().find("learned").resolve(parse_part(text), {}).front().binds;
  };
  EXPECT_EQ(binds("learned(overflow=clamp)"), Binds::test);
  EXPECT_EQ(binds("learned(max_seq_len=5, overflow=clamp)"), Binds::training);
}

TEST(LearnedEncoding, TheTableIsOneTrainableParameter) {
  ParameterLayout layout;
  const auto encoding = make_positional_encoding<float>(
      "learned", {.d_model = 4, .train_length = 6, .positions = 6}, Scope(layout, "positional"));
  EXPECT_EQ(layout.count(), 24);
  EXPECT_EQ(layout.find("positional.learned.table").shape, (Shape{6, 4}));
}

TEST(LearnedEncoding, BackwardIsTheGradient) {
  Learned learned(6, 4);
  Tensor<double> x = normal_tensor({2, 5, 4}, 2);
  const Tensor<double> upstream = normal_tensor({2, 5, 4}, 3);
  learned.forward(x);
  const Tensor<double> dx = learned.backward(upstream);
  EXPECT_TRUE(std::ranges::equal(dx.span(), upstream.span()));  // addition passes the gradient through
  constexpr double epsilon = 1e-5;
  for (Index i = 0; i < learned.table().size(); ++i) {
    double& element = learned.table().data[i];
    const double centre = element;
    element = centre + epsilon;
    const double above = dot(learned.forward(x), upstream);
    element = centre - epsilon;
    const double below = dot(learned.forward(x), upstream);
    element = centre;
    const double numeric = (above - below) / (2.0 * epsilon);
    EXPECT_NEAR(learned.grad_embedding().data[i], numeric, 1e-5 * std::abs(numeric) + 1e-9);
  }
}

// A batch of four has four times the gradient of one sequence only where all four upstream gradients are
// equal.
TEST(LearnedEncoding, TheGradientSumsOverTheBatch) {
  const Tensor<double> one = normal_tensor({1, 5, 4}, 3);
  Tensor<double> four({4, 5, 4});
  for (Index r = 0; r < 20; ++r) std::copy_n(one.view().row(r % 5), 4, four.view().row(r));
  Learned alone(5, 4);
  Learned together(5, 4);
  alone.forward(Tensor<double>({1, 5, 4}));
  alone.backward(one);
  together.forward(Tensor<double>({4, 5, 4}));
  together.backward(four);
  for (Index i = 0; i < 20; ++i) {
    EXPECT_NEAR(together.grad_embedding().data[i], 4.0 * alone.grad_embedding().data[i], 1e-12);
  }
}

TEST(LearnedEncoding, UnusedPositionsReceiveNoGradient) {
  Learned learned(10, 4);
  learned.forward(Tensor<double>({2, 6, 4}));
  learned.backward(normal_tensor({2, 6, 4}, 3));
  for (Index pos = 0; pos < 10; ++pos) {
    for (Index c = 0; c < 4; ++c) EXPECT_EQ(learned.grad_embedding()(pos, c) == 0.0, pos >= 6);
  }
}

TEST(LearnedOverflow, ClampTakesTheLastRow) {
  Learned learned(4, 2, "clamp");
  const Tensor<double> y = learned.forward(Tensor<double>({1, 7, 2}));
  for (Index t = 0; t < 7; ++t) EXPECT_EQ(y(t, 1), learned.table()(std::min<Index>(t, 3), 1));
}

TEST(LearnedOverflow, ClampGivesTheLastRowTheGradientOfAllThatStandThere) {
  Learned learned(4, 1, "clamp");
  learned.forward(Tensor<double>({1, 7, 1}));
  const std::vector<double> upstream = {1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0};
  learned.backward(Tensor<double>({1, 7, 1}, upstream));
  EXPECT_THAT(std::vector<double>(learned.grad_embedding().data, learned.grad_embedding().data + 4),
              ElementsAre(1.0, 2.0, 4.0, 120.0));
}

TEST(LearnedOverflow, InterpolateFitsTheLongestPositionOnTheLastRow) {
  Learned learned(4, 2, "interpolate");
  const Tensor<double> y = learned.forward(Tensor<double>({1, 7, 2}));
  for (Index t = 0; t < 7; ++t) {  // position t stands at row t/2
    const Index row = t / 2;
    const double expected =
        t % 2 == 0 ? learned.table()(row, 0) : 0.5 * (learned.table()(row, 0) + learned.table()(row + 1, 0));
    EXPECT_NEAR(y(t, 0), expected, 1e-15);
  }
  const Tensor<double> inside =
      learned.forward(Tensor<double>({1, 3, 2}));  // nothing is past the end: no scaling
  EXPECT_EQ(inside(2, 0), learned.table()(2, 0));
}

TEST(LearnedOverflow, InterpolateSplitsTheGradientBetweenNeighbouringRows) {
  Learned learned(4, 1, "interpolate");
  learned.forward(Tensor<double>({1, 7, 1}));  // position t stands at row t/2
  const std::vector<double> upstream = {1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0};
  learned.backward(Tensor<double>({1, 7, 1}, upstream));
  EXPECT_THAT(std::vector<double>(learned.grad_embedding().data, learned.grad_embedding().data + 4),
              ElementsAre(2.0, 9.0, 36.0, 80.0));
}

TEST(LearnedOverflow, InterpolateScalesEachSequenceByItsOwnLongestPosition) {
  Learned learned(4, 1, "interpolate");
  const Tensor<double> y =
      learned.forward(Tensor<double>({2, 2, 1}), Positions::per_sequence(2, {1.0, 2.0, 3.0, 9.0}));
  const Index rows[] = {1, 2, 1, 3};  // the first fits and stays; the second is compressed to a third
  for (Index r = 0; r < 4; ++r) EXPECT_NEAR(y(r, 0), learned.table()(rows[r], 0), 1e-15);
}

TEST(LearnedOverflow, UntrainedIsATableForTheTestAndEndsWithIt) {
  Learned learned(12, 2, "untrained");
  EXPECT_EQ(learned.forward(Tensor<double>({1, 12, 2}))(11, 0), learned.table()(11, 0));
  EXPECT_THAT(
      [&] {
        learned.forward(Tensor<double>({1, 13, 2}));
      },
      ThrowsMessage<PositionError>(
          "LearnedPositionalEncoding: sequence length 13 exceeds max_seq_len 12 (raise "
          "max_seq_len, or set overflow to clamp or interpolate)"));
}

TEST(LearnedOverflow, AnUnknownModeIsReported) {
  EXPECT_THAT([] { Learned(4, 2, "wrap"); },
              ThrowsMessage<ConfigError>(HasSubstr(
                  "learned: overflow: got 'wrap', expected one of error, clamp, interpolate, untrained")));
}

TEST(LearnedPositions, BetweenRowsAreLinearForwardAndBackward) {
  Learned learned(4, 1);
  const Tensor<double> y = learned.forward(Tensor<double>({1, 2, 1}), Positions::shared(1, {1.25, 3.0}));
  EXPECT_NEAR(y(0, 0), 0.75 * learned.table()(1, 0) + 0.25 * learned.table()(2, 0), 1e-15);
  const std::vector<double> upstream = {8.0, 1.0};
  learned.backward(Tensor<double>({1, 2, 1}, upstream));
  EXPECT_DOUBLE_EQ(learned.grad_embedding()(1, 0), 6.0);
  EXPECT_DOUBLE_EQ(learned.grad_embedding()(2, 0), 2.0);
  EXPECT_DOUBLE_EQ(learned.grad_embedding()(3, 0), 1.0);
}

// Positions interpolated into the range of training, and random real ones, end below max_seq_len.
TEST(LearnedPositions, BetweenTheLastRowAndTheEndOfTheTableTakeTheLastRow) {
  Learned learned(4, 1);
  const Tensor<double> y = learned.forward(Tensor<double>({1, 2, 1}), Positions::shared(1, {3.5, 3.99}));
  EXPECT_EQ(y(0, 0), learned.table()(3, 0));
  EXPECT_EQ(y(1, 0), learned.table()(3, 0));
  EXPECT_THROW(learned.forward(Tensor<double>({1, 1, 1}), Positions::shared(1, {4.0})), PositionError);
}

TEST(LearnedPositions, EachSequenceMayHaveItsOwn) {
  Learned learned(8, 1);
  const Tensor<double> y =
      learned.forward(Tensor<double>({2, 3, 1}), Positions::per_sequence(2, {0.0, 1.0, 5.0, 2.0, 5.0, 7.0}));
  const Index rows[] = {0, 1, 5, 2, 5, 7};
  for (Index r = 0; r < 6; ++r) EXPECT_EQ(y(r, 0), learned.table()(rows[r], 0));
  const std::vector<double> upstream = {1.0, 2.0, 4.0, 8.0, 16.0, 32.0};
  learned.backward(Tensor<double>({2, 3, 1}, upstream));
  EXPECT_THAT(std::vector<double>(learned.grad_embedding().data, learned.grad_embedding().data + 8),
              ElementsAre(1.0, 2.0, 8.0, 0.0, 0.0, 20.0, 0.0, 32.0));
}

TEST(LearnedPositions, AnOffsetGivesTheSliceOfALongerSequence) {
  Learned learned(10, 4);
  const Tensor<double> whole = learned.forward(Tensor<double>({1, 10, 4}));
  const Tensor<double> slice = learned.forward(Tensor<double>({1, 3, 4}), Positions::contiguous(1, 3, 6.0));
  EXPECT_TRUE(std::ranges::equal(slice.span(), whole.span().subspan(24, 12)));
}

TEST(LearnedPositions, NegativeAndInfiniteOnesAreErrorsInEveryMode) {
  for (const char* overflow : {"error", "clamp", "interpolate", "untrained"}) {
    Learned learned(4, 1, overflow);
    for (const double position : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
      EXPECT_THAT(
          [&] {
            learned.forward(Tensor<double>({1, 1, 1}), Positions::shared(1, {position}));
          },
          ThrowsMessage<PositionError>(HasSubstr("expected a finite one, 0 or greater")))
          << overflow << " " << position;
    }
  }
}

// The exception that a comparison shows as `fails` must differ from that of an index out of range, which is a
// bug.
TEST(Learned, APositionPastTheTableIsNoOutOfRange) {
  EXPECT_FALSE((std::is_base_of_v<std::out_of_range, PositionError>));
  EXPECT_FALSE((std::is_base_of_v<std::logic_error, PositionError>));
}

}  // namespace
}  // namespace ordinal
