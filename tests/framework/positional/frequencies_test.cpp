// The frequencies and wavelengths of the sinusoidal encoding, and how its base sets them. Where a document
// that the project started from prints numbers that do not follow from the formula, the formula is used and a
// comment says so.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "framework/positional/encodings/sinusoidal.h"

namespace ordinal {
namespace {

constexpr double pi = std::numbers::pi;

// Of each pair of columns, in positions.
std::vector<double> wavelengths(Index width, double base = 10000.0) {
  std::vector<double> all = sinusoidal_frequencies(width, base);
  for (double& one : all) one = 2.0 * pi / one;
  return all;
}

TEST(FrequencyStructure, DimensionZeroTurnsOnceInTwoPiPositions) {
  EXPECT_NEAR(wavelengths(64)[0], 2.0 * pi, 1e-12);
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
    EXPECT_NEAR(wavelengths(width).back() / (2.0 * pi * std::pow(10000.0, exponent)), 1.0, 1e-12);
  }
  EXPECT_NEAR(wavelengths(512).back(), 60'611.0, 1.0);
  EXPECT_NEAR(wavelengths(64).back(), 47'117.0, 1.0);
}

// A document prints θ_1 = 0.681 and θ_2 = 0.464 for d = 512; the formula gives 0.9647 and 0.9306.
TEST(FrequencyStructure, TrapTheFirstFrequencyOfWidth512Is0Point9647) {
  const std::vector<double> frequencies = sinusoidal_frequencies(512);
  EXPECT_EQ(frequencies[0], 1.0);
  EXPECT_NEAR(frequencies[1], 0.9647, 5e-5);
  EXPECT_NEAR(frequencies[2], 0.9306, 5e-5);
  EXPECT_EQ(frequencies.size(), 256U);
}

// 2i/d with the number of the pair, not 2·(column)/d: then sin² + cos² of each pair is 1 everywhere.
TEST(FrequencyStructure, TrapSineAndCosineOfAPairShareTheirFrequency) {
  const Tensor<double> pe = sinusoidal_positional_encoding(200, 64);
  for (Index pos = 0; pos < 200; ++pos) {
    for (Index c = 0; c < 64; c += 2) {
      EXPECT_NEAR(pe(pos, c) * pe(pos, c) + pe(pos, c + 1) * pe(pos, c + 1), 1.0, 1e-12);
    }
  }
}

// A document's table calls the pair of frequency 0.01 "(d/4, d/4 + 1)" and the last "(d/2 - 2, d/2 - 1)":
// those are pair numbers i, not columns. Columns 2i and 2i + 1 with i = d/4 are (d/2, d/2 + 1), and the last
// are (d - 2, d - 1).
TEST(FrequencyStructure, ThePairAtAQuarterOfTheWidthHasFrequencyOneHundredth) {
  EXPECT_NEAR(sinusoidal_frequencies(512)[128], 0.01, 1e-15);
  EXPECT_NEAR(wavelengths(512)[128], 628.3, 0.05);
}

TEST(SinusoidalBase, SetsTheLongestWavelength) {
  EXPECT_NEAR(wavelengths(512, 1000.0).back() / (2.0 * pi * std::pow(1000.0, 510.0 / 512.0)), 1.0, 1e-12);
  EXPECT_LT(wavelengths(64, 1000.0).back(), wavelengths(64, 100'000.0).back());
}

TEST(SinusoidalBase, OfTheSettingsReachesTheEncoding) {
  const Tensor<double> expected = sinusoidal_positional_encoding(5, 8, 100.0);
  ParameterLayout layout;
  const auto with = [&](const ModelShape& shape, const OptionValues& values) {
    const auto options = resolved_options<SinusoidalOptions>("sinusoidal", values, shape);
    return SinusoidalPositionalEncoding<double>(shape, options, Scope(layout)).get_encoding(5);
  };
  const Tensor<double> even = with({.d_model = 8, .positions = 5}, {{"base", "100"}});
  const Tensor<double> odd = with({.d_model = 7, .positions = 5}, {{"base", "100"}, {"pad_odd", "true"}});
  EXPECT_TRUE(std::ranges::equal(even.span(), expected.span()));
  EXPECT_EQ(odd(4, 6), expected(4, 6));
  EXPECT_TRUE(std::ranges::equal(SinusoidalPositionalEncoding<double>(5, 8, 100.0).get_encoding(5).span(),
                                 expected.span()));
}

// 2π·base is ten times the length. A document prints about 814 for 512 and about 6,511 for 4,096; the formula
// gives 814.87 and 6,518.99.
TEST(SinusoidalBase, AutoFollowsFromTheTrainingLength) {
  const auto automatic = [](Index train_length) {
    return resolved_options<SinusoidOptions>("rope", {{"base", "auto"}}, {.train_length = train_length}).base;
  };
  EXPECT_NEAR(automatic(512), 814.87, 0.005);
  EXPECT_NEAR(automatic(4096), 6518.99, 0.005);
  EXPECT_NEAR(2.0 * pi * automatic(100), 1000.0, 1e-9);
  EXPECT_EQ(automatic(1), 2.0);
  EXPECT_EQ(resolved_options<SinusoidOptions>("rope", {}, {.train_length = 512}).base, 10000.0);
}

}  // namespace
}  // namespace ordinal
