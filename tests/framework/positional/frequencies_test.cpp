// The frequencies and wavelengths of the sinusoidal encoding, and how its base sets them. Where a document
// that the project started from prints numbers that do not follow from the formula, the formula is used and a
// comment says so.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "framework/positional/encodings/sinusoidal.h"

namespace ordinal {
namespace {

constexpr double pi = std::numbers::pi;

TEST(FrequencyStructure, LogSpaceFrequenciesEqualPowersToMachinePrecision) {
  for (const double base : {1000.0, 10'000.0}) {
    for (const Index width : {64, 512, 4096}) {
      const std::vector<double> frequencies = sinusoidal_frequencies(width, base);
      ASSERT_EQ(std::ssize(frequencies), width / 2);
      for (std::size_t i = 0; i < frequencies.size(); ++i) {
        const double power = std::pow(base, -2.0 * static_cast<double>(i) / static_cast<double>(width));
        EXPECT_NEAR(frequencies[i] / power, 1.0, 8.0 * std::numeric_limits<double>::epsilon());
      }
    }
  }
}

struct Printed {
  Index width;
  std::size_t pair;
  double wavelength;  // in positions
};

const Printed all_printed[] = {
    {512, 0, 2.0 * pi},
    // A document prints θ_1 = 0.681 and θ_2 = 0.464; the formula gives 0.9647 and 0.9306.
    {512, 1, 2.0 * pi / 0.9647},
    {512, 2, 2.0 * pi / 0.9306},
    // A document calls the pair of frequency 0.01 "(d/4, d/4 + 1)" and the last "(d/2 - 2, d/2 - 1)". Those are numbers i of
    // pairs, not columns: 2i and 2i + 1.
    {512, 128, 628.3},
    // Documents print 2π·10000 = 62,832 for the last pair. By the formula i goes to d/2 - 1, so it is 2π·10000^((d-2)/d).
    {512, 255, 60'611.0},
    {64, 31, 47'117.0}};

TEST(FrequencyStructure, TrapWavelengthsAreThoseOfTheFormulaAndNotOfEveryDocument) {
  for (const auto& [width, pair, wavelength] : all_printed)
    EXPECT_NEAR(2.0 * pi / sinusoidal_frequencies(width).at(pair) / wavelength, 1.0, 6e-5)
        << width << " " << pair;
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
