// The sinusoidal encoding: shapes, known values, uniqueness, bounds, frequencies, numerical stability. Where
// a document that the project started from prints numbers that do not follow from the formula, the formula
// stands and a comment says so.
#include "framework/positional/sinusoidal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "framework/core/errors.h"
#include "framework/core/random.h"
#include "framework/positional/analysis.h"

namespace ordinal {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr double pi = std::numbers::pi;

template <typename T>
Tensor<T> normal_tensor(Shape shape, std::uint64_t seed = 1) {
  Tensor<T> tensor(std::move(shape));
  Random random({.seed = seed});
  for (T& value : tensor.span()) value = static_cast<T>(random.normal());
  return tensor;
}

bool finite(const Tensor<double>& tensor) {
  return std::ranges::all_of(tensor.span(), [](double value) { return std::isfinite(value); });
}

TEST(SinusoidalShape, IsLengthByWidth) {
  for (const Index length : {1, 3, 32, 128}) {
    for (const Index width : {2, 4, 64, 512, 768}) {
      EXPECT_EQ(sinusoidal_positional_encoding(length, width).shape(), (Shape{length, width}));
    }
  }
}

TEST(SinusoidalShape, ForwardKeepsTheShapeForEveryBatchSize) {
  const SinusoidalPositionalEncoding<float> encoding(128, 64);
  for (const Index batch : {1, 2, 4, 16}) {
    EXPECT_EQ(encoding.forward(Tensor<float>({batch, 32, 64})).shape(), (Shape{batch, 32, 64}));
  }
}

TEST(SinusoidalShape, ForwardTakesEverySequenceLength) {
  const SinusoidalPositionalEncoding<float> encoding(512, 64);
  for (const Index length : {1, 16, 128, 512}) {
    EXPECT_EQ(encoding.forward(Tensor<float>({2, length, 64})).shape(), (Shape{2, length, 64}));
  }
}

TEST(SinusoidalShape, TheReferenceDimensionsWork) {
  EXPECT_EQ(SinusoidalPositionalEncoding<float>(1024, 768).get_encoding(1024).shape(), (Shape{1024, 768}));
  EXPECT_EQ(SinusoidalPositionalEncoding<float>(5000, 512).get_encoding(5000).shape(), (Shape{5000, 512}));
}

TEST(SinusoidalShape, AnOddWidthIsAnError) {
  EXPECT_THAT([] { sinusoidal_positional_encoding(10, 7); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("got d_model 7, expected an even number")));
  EXPECT_THROW(SinusoidalPositionalEncoding<float>(10, 7), std::invalid_argument);
  ParameterLayout layout;
  EXPECT_THAT([&] { make_positional_encoding<float>({.name = "sinusoidal", .d_model = 7}, Scope(layout)); },
              ThrowsMessage<ConfigError>(
                  HasSubstr("d_model 7 is odd, expected an even one (or set positional.pad_odd)")));
}

TEST(SinusoidalShape, AnOddWidthCanBePaddedByOneAndTheLastColumnDropped) {
  ParameterLayout layout;
  const SinusoidalPositionalEncoding<double> padded({.d_model = 7, .max_seq_len = 10, .pad_odd = true},
                                                    Scope(layout));
  const Tensor<double> wider = sinusoidal_positional_encoding(10, 8);
  const Tensor<double> encoding = padded.get_encoding(10);
  EXPECT_EQ(encoding.shape(), (Shape{10, 7}));
  for (Index pos = 0; pos < 10; ++pos) {
    for (Index c = 0; c < 7; ++c) EXPECT_EQ(encoding(pos, c), wider(pos, c));
  }
}

TEST(SinusoidalShape, OtherBadArgumentsAreErrors) {
  EXPECT_THROW(sinusoidal_positional_encoding(0, 4), std::invalid_argument);
  EXPECT_THROW(sinusoidal_positional_encoding(3, 0), std::invalid_argument);
  EXPECT_THROW(sinusoidal_positional_encoding(3, 4, 1.0), std::invalid_argument);
}

TEST(SinusoidalReference, PositionZeroAlternatesZeroAndOne) {
  const Tensor<double> pe = sinusoidal_positional_encoding(1, 64);
  for (Index c = 0; c < 64; ++c) EXPECT_EQ(pe(0, c), c % 2 == 0 ? 0.0 : 1.0);
}

// A document gives cos(2/100) as 0.999; it is 0.9998.
TEST(SinusoidalReference, SmallExampleOfWidthFour) {
  const Tensor<double> pe = sinusoidal_positional_encoding(3, 4);
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
}

TEST(SinusoidalReference, AddedToAnInputToFourDecimals) {
  const std::vector<double> x = {0.1, -0.2, 0.3, 0.4, 0.0, 0.5, -0.1, 0.2, 0.7, -0.3, 0.2, -0.4};
  const std::vector<double> expected = {0.1000,  0.8000, 0.3000, 1.4000,  0.8415, 1.0403,
                                        -0.0900, 1.2000, 1.6093, -0.7161, 0.2200, 0.5998};
  const Tensor<double> sum = SinusoidalPositionalEncoding<double>(3, 4).forward(Tensor<double>({1, 3, 4}, x));
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(sum.span()[i], expected[i], 5e-5);
}

// A document shows [0.0, 1.0, 0.67, 0.74, …] for position 10 and a wavelength of 10. No base gives that: the
// first pair always turns once in 2π positions, so it is [sin 10, cos 10, …].
TEST(SinusoidalReference, PositionTenStartsWithSineAndCosineOfTen) {
  const Tensor<double> pe = sinusoidal_positional_encoding(11, 512);
  EXPECT_NEAR(pe(10, 0), -0.5440, 5e-5);
  EXPECT_NEAR(pe(10, 1), -0.8391, 5e-5);
}

TEST(SinusoidalUniqueness, NoTwoOfAThousandPositionsAreEqual) {
  EXPECT_GT(uniqueness(sinusoidal_positional_encoding(1000, 64)).distance, 0.1);
}

TEST(SinusoidalUniqueness, ValuesAreBoundedByOne) {
  EXPECT_TRUE(encoding_statistics(sinusoidal_positional_encoding(1000, 64)).bounded);
}

TEST(SinusoidalUniqueness, TheSameArgumentsGiveTheSameBits) {
  const Tensor<double> first = sinusoidal_positional_encoding(100, 64);
  const Tensor<double> second = sinusoidal_positional_encoding(100, 64);
  EXPECT_TRUE(std::ranges::equal(first.span(), second.span()));
}

TEST(SinusoidalUniqueness, EveryPositionHasTheNormRootOfHalfTheWidth) {
  for (const Index width : {4, 64, 512}) {
    for (const double norm : encoding_statistics(sinusoidal_positional_encoding(300, width)).norms) {
      EXPECT_NEAR(norm, std::sqrt(static_cast<double>(width) / 2.0), 1e-12);
    }
  }
}

// Whole waves of the first column pass its mean square of one half; the last column hardly moves in 1,000
// positions.
TEST(FrequencyStructure, LowDimensionsChangeFast) {
  const auto variances = encoding_statistics(sinusoidal_positional_encoding(1000, 64)).column_variances;
  EXPECT_NEAR(variances[0], 0.5, 0.01);
}

TEST(FrequencyStructure, HighDimensionsChangeSlowly) {
  const auto variances = encoding_statistics(sinusoidal_positional_encoding(1000, 64)).column_variances;
  EXPECT_LT(variances[62], 0.01);  // the sine of the last pair, column d - 2
  EXPECT_LT(variances[62], variances[0] / 50.0);
}

TEST(FrequencyStructure, DimensionZeroTurnsOnceInTwoPiPositions) {
  EXPECT_NEAR(wavelengths(64)[0].wavelength, 2.0 * pi, 1e-12);
  const std::vector<double> positions = {0.3, 0.3 + 2.0 * pi};
  const Tensor<double> pe = sinusoidal_positional_encoding(positions, 64);
  EXPECT_NEAR(pe(0, 0), pe(1, 0), 1e-12);
}

// Documents print 2π·10000 = 62,832 for the last pair and 1/10000 for its frequency. By the formula i goes to
// d/2 - 1, so the frequency is 10000^(-(d-2)/d) and the wavelength 2π·10000^((d-2)/d): 60,611 for d = 512,
// 47,117 for d = 64.
TEST(FrequencyStructure, TheLastWavelengthFollowsFromTheFormula) {
  for (const Index width : {64, 512, 4096}) {
    const double exponent = static_cast<double>(width - 2) / static_cast<double>(width);
    EXPECT_NEAR(wavelengths(width).back().wavelength / (2.0 * pi * std::pow(10000.0, exponent)), 1.0, 1e-12);
  }
  EXPECT_NEAR(wavelengths(512).back().wavelength, 60'611.0, 1.0);
  EXPECT_NEAR(wavelengths(64).back().wavelength, 47'117.0, 1.0);
}

// A document prints θ_1 = 0.681 and θ_2 = 0.464 for d = 512; the formula gives 0.9647 and 0.9306.
TEST(FrequencyStructure, FrequenciesFollowFromTheFormula) {
  const std::vector<double> frequencies = sinusoidal_frequencies(512);
  EXPECT_EQ(frequencies[0], 1.0);
  EXPECT_NEAR(frequencies[1], 0.9647, 5e-5);
  EXPECT_NEAR(frequencies[2], 0.9306, 5e-5);
  EXPECT_EQ(frequencies.size(), 256U);
}

// A document's table calls the pair of frequency 0.01 "(d/4, d/4 + 1)"; columns 2i and 2i + 1 with i = d/4
// are it.
TEST(FrequencyStructure, ThePairAtAQuarterOfTheWidthHasFrequencyOneHundredth) {
  EXPECT_NEAR(sinusoidal_frequencies(512)[128], 0.01, 1e-15);
  EXPECT_NEAR(wavelengths(512)[128].wavelength, 628.3, 0.05);
}

TEST(NumericalStability, LongSequencesAreFinite) {
  EXPECT_TRUE(finite(sinusoidal_positional_encoding(10'000, 64)));
}
TEST(NumericalStability, LargeWidthsAreFinite) {
  EXPECT_TRUE(finite(sinusoidal_positional_encoding(64, 4096)));
}

TEST(NumericalStability, LogSpaceFrequenciesEqualPowersToMachinePrecision) {
  for (const Index width : {64, 512, 4096}) {
    const std::vector<double> frequencies = sinusoidal_frequencies(width);
    for (std::size_t i = 0; i < frequencies.size(); ++i) {
      const double power = 1.0 / std::pow(10000.0, 2.0 * static_cast<double>(i) / static_cast<double>(width));
      EXPECT_NEAR(frequencies[i] / power, 1.0, 8.0 * std::numeric_limits<double>::epsilon());
    }
  }
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

TEST(SinusoidalPositions, PastTheCachedTableTheBitsAreThoseOfALargerTable) {
  const Tensor<float> small = SinusoidalPositionalEncoding<float>(10, 32).get_encoding(50);
  const Tensor<float> large = SinusoidalPositionalEncoding<float>(100, 32).get_encoding(50);
  EXPECT_TRUE(std::ranges::equal(small.span(), large.span()));
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
  EXPECT_TRUE(finite(pe));
}

TEST(SinusoidalPositions, InterpolatedOnesStayInTheTrainedRange) {
  std::vector<double> squeezed;
  for (int i = 0; i < 4096; ++i) squeezed.push_back(i * 2048.0 / 4096.0);
  const Tensor<double> pe = sinusoidal_positional_encoding(squeezed, 64);
  const Tensor<double> trained = sinusoidal_positional_encoding(2048, 64);
  for (Index c = 0; c < 64; ++c) EXPECT_EQ(pe(2 * 100, c), trained(100, c));
  EXPECT_LT(squeezed.back(), 2048.0);
}

TEST(SinusoidalBase, SetsTheLongestWavelength) {
  EXPECT_NEAR(wavelengths(512, 1000.0).back().wavelength / (2.0 * pi * std::pow(1000.0, 510.0 / 512.0)), 1.0,
              1e-12);
  EXPECT_LT(wavelengths(64, 1000.0).back().wavelength, wavelengths(64, 100'000.0).back().wavelength);
}

// 2π·base is ten times the length. A document prints about 814 for 512 and about 6,511 for 4,096; the formula
// gives 814.87 and 6,518.99.
TEST(SinusoidalBase, IsChosenForATypicalLength) {
  EXPECT_NEAR(choose_base(512), 814.87, 0.005);
  EXPECT_NEAR(choose_base(4096), 6518.99, 0.005);
  EXPECT_NEAR(2.0 * pi * choose_base(100), 1000.0, 1e-9);
}

}  // namespace
}  // namespace ordinal
