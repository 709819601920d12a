// The sinusoidal encoding: shapes, known values, numerical stability, positions. Where
// a document that the project started from prints numbers that do not follow from the formula, the formula is
// used and a comment says so.
#include "framework/positional/encodings/sinusoidal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/framework/positional/rig.h"
#include "tests/message_of.h"

namespace ordinal {
namespace {

using ::testing::HasSubstr;
using testing::normal_tensor;

// 768 and 512 with 1,024 and 5,000 positions are the reference dimensions.
TEST(SinusoidalShape, IsLengthByWidthAndForwardKeepsThatOfItsInput) {
  for (const Index width : {2, 4, 64, 512, 768}) {
    for (const Index length : {1, 3, 1024, 5000}) {
      EXPECT_EQ(sinusoidal_positional_encoding(length, width).shape(), (Shape{length, width}));
      EXPECT_EQ(SinusoidalPositionalEncoding<float>(length, width).get_encoding(length).shape(),
                (Shape{length, width}));
    }
  }
  EXPECT_EQ(SinusoidalPositionalEncoding<float>(128, 64).forward(Tensor<float>({2, 16, 64})).shape(),
            (Shape{2, 16, 64}));
}

TEST(SinusoidalShape, AnOddWidthCanBePaddedByOneAndTheLastColumnDropped) {
  ParameterLayout layout;
  const ModelShape shape{.d_model = 7, .positions = 10};
  const SinusoidalPositionalEncoding<double> padded(
      shape, resolved_options<SinusoidalOptions>("sinusoidal", {{"pad_odd", "true"}}, shape), Scope(layout));
  const Tensor<double> wider = sinusoidal_positional_encoding(15, 8);
  const Tensor<double> encoding = padded.get_encoding(10);
  EXPECT_EQ(encoding.shape(), (Shape{10, 7}));
  const Tensor<double> sum = padded.forward(Tensor<double>({2, 12, 7}), 3.0);  // also past its table
  for (Index c = 0; c < 7; ++c) {
    for (Index pos = 0; pos < 10; ++pos) EXPECT_EQ(encoding(pos, c), wider(pos, c));
    for (Index r = 0; r < 24; ++r) EXPECT_EQ(sum(r, c), wider(3 + r % 12, c));
  }
}

TEST(SinusoidalShape, BadArgumentsAreErrors) {
  EXPECT_THAT(message_of<std::invalid_argument>([] { sinusoidal_positional_encoding(10, 7); }),
              HasSubstr("got d_model 7, expected an even number"));
  EXPECT_THROW(SinusoidalPositionalEncoding<float>(10, 7), ConfigError);
  EXPECT_THROW(sinusoidal_positional_encoding(-1, 4), std::invalid_argument);
  EXPECT_THROW(sinusoidal_positional_encoding(3, 0), std::invalid_argument);
  EXPECT_THROW(sinusoidal_positional_encoding(3, 4, 1.0), std::invalid_argument);
  EXPECT_THROW(sinusoidal_positional_encoding(3, 4, std::numeric_limits<double>::infinity()),
               std::invalid_argument);
  EXPECT_THROW(sinusoidal_positional_encoding(3, 4, std::nan("")), std::invalid_argument);
}

TEST(SinusoidalShape, ForwardRefusesAnInputOfAnotherShape) {
  const SinusoidalPositionalEncoding<double> encoding(16, 8);
  EXPECT_THAT(message_of<std::invalid_argument>([&] {
                encoding.forward(Tensor<double>({2, 3, 6}));
              }),
              HasSubstr("got input of shape (2, 3, 6), expected (batch, seq_len, 8)"));
  EXPECT_THROW(encoding.forward(Tensor<double>({3, 8})), std::invalid_argument);
  EXPECT_THROW(encoding.forward(Tensor<double>()), std::invalid_argument);
}

// Documents print cos(2/100) as 0.999 and as 1.0000; it is 0.9998. One shows [0.0, 1.0, 0.67, 0.74, …] for position 10 and a
// wavelength of 10. No base gives that: the first pair always turns once in 2π positions, so it is [sin 10, cos 10, …].
TEST(SinusoidalReference, SmallExampleOfWidthFour) {
  const Tensor<double> pe = sinusoidal_positional_encoding(11, 4);
  const double expected[3][4] = {{0.0, 1.0, 0.0, 1.0},
                                 {std::sin(1.0), std::cos(1.0), std::sin(0.01), std::cos(0.01)},
                                 {std::sin(2.0), std::cos(2.0), std::sin(0.02), std::cos(0.02)}};
  const double printed[3][4] = {
      {0.0, 1.0, 0.0, 1.0}, {0.8415, 0.5403, 0.01, 0.99995}, {0.9093, -0.4161, 0.02, 0.9998}};
  for (Index pos = 0; pos < 3; ++pos) {
    for (Index c = 0; c < 4; ++c) {
      EXPECT_NEAR(pe(pos, c), expected[pos][c], 1e-15);
      EXPECT_NEAR(pe(pos, c), printed[pos][c], 6e-5);
    }
  }
  EXPECT_NEAR(pe(10, 0), -0.5440, 5e-5);
  EXPECT_NEAR(pe(10, 1), -0.8391, 5e-5);
}

// In float, pos·ω near 65,536 would be off by up to 4e-3; angles are computed in double and rounded once.
TEST(NumericalStability, FloatTablesAreRoundedDoubles) {
  const Tensor<float> far = SinusoidalPositionalEncoding<float>(16, 64).get_encoding(65'537);
  const Tensor<double> exact = sinusoidal_positional_encoding(65'537, 64);
  for (const Index pos : {0, 15, 16, 1000, 65'536}) {
    for (Index c = 0; c < 64; ++c) EXPECT_EQ(far(pos, c), static_cast<float>(exact(pos, c)));
  }
}

TEST(SinusoidalPositions, AnOffsetGivesTheSliceOfALongerEncoding) {
  const SinusoidalPositionalEncoding<float> encoding(5000, 512);
  const Tensor<float> x = normal_tensor<float>({2, 10, 512});
  const Tensor<float> sum = encoding.forward(x, 100.0);
  const Tensor<float> pe = encoding.get_encoding(110);
  for (Index r = 0; r < 20; ++r) {
    for (Index c = 0; c < 512; ++c) EXPECT_EQ(sum(r, c), x(r, c) + pe(100 + r % 10, c));
  }
}

TEST(SinusoidalPositions, EachSequenceMayHaveItsOwn) {
  const std::vector<double> positions = {0.0, 3.0, 7.5, 2.0, -1.0, 40.0};  // in and past a table of ten rows
  const Tensor<double> x = normal_tensor({2, 3, 8});
  testing::Rig<> rig("sinusoidal", {.d_model = 8, .positions = 10});
  const Tensor<double> sum = rig.at(Positions::per_sequence(2, positions)).input(x);
  const Tensor<double> pe = sinusoidal_positional_encoding(positions, 8);
  for (Index r = 0; r < 6; ++r) {
    for (Index c = 0; c < 8; ++c) EXPECT_EQ(sum(r, c), x(r, c) + pe(r, c));
  }
}

TEST(SinusoidalPositions, MayBeAnyRealNumbers) {
  const std::vector<double> positions = {5, 10, 15, 100, 1000, 0.5, -3.25, 1e6};
  const Tensor<double> pe = sinusoidal_positional_encoding(positions, 512);
  const Tensor<double> whole = sinusoidal_positional_encoding(1001, 512);
  for (Index c = 0; c < 512; ++c) {
    for (Index i = 0; i < 5; ++i) {
      EXPECT_EQ(pe(i, c), whole(static_cast<Index>(positions[static_cast<std::size_t>(i)]), c));
    }
  }
  EXPECT_NEAR(pe(5, 0), std::sin(0.5), 1e-15);
  EXPECT_NEAR(pe(6, 1), std::cos(-3.25), 1e-15);
  EXPECT_NEAR(pe(7, 0), std::sin(1e6), 1e-15);
}

}  // namespace
}  // namespace ordinal
