// Frequencies of rotary encodings: stretched for longer sequences, and those that do not turn.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "framework/core/errors.h"
#include "framework/core/text.h"
#include "framework/positional/position_scheme.h"
#include "framework/positional/rotary.h"
#include "tests/framework/positional/rotary_scores.h"

namespace ordinal {
namespace {

using rotary_test::scores;

PositionScheme resolved(const std::string& text, Index train_length = 64) {
  PositionScheme scheme = make_position_scheme(text);
  scheme.resolve(train_length, 0);
  return scheme;
}

double option_of(PositionScheme scheme, const std::string& name) {
  const std::vector<OptionSpec> specs = specs_of(std::move(scheme));
  return parse_real(std::ranges::find(specs, name, &OptionSpec::name)->value).value();
}

// The stretch of sequences `factor` times as long as the training length.
Stretch stretch_of(PositionScheme scheme, double factor) {
  scheme.scale = factor;
  return *make_positions(scheme, 1, 1).stretch();
}

std::vector<double> frequencies_under(const Stretch& stretch, Index d = 8) {
  return stretch.frequencies ? stretch.frequencies(d, 10000.0) : sinusoidal_frequencies(d);
}

TEST(Rope, StretchedAnglesAreRoundedAsTheTableIs) {
  const Stretch stretch = stretch_of(resolved("ntk"), 3.0);
  const double exact = scores<double>("rope", 29, 3, stretch).front();
  const double rounded = scores<double>("rope(precision=half)", 29, 3, stretch).front();
  EXPECT_NE(rounded, exact);
  EXPECT_NEAR(rounded, exact, 1e-2);
}

TEST(Stretching, ByOneChangesNothing) {
  for (const std::string name : {"rope", "xpos"}) {
    const std::vector<double> plain = scores<double>(name, 9, 4);
    for (const char* scheme : {"ntk", "yarn", "longrope"}) {
      EXPECT_EQ(scores<double>(name, 9, 4, stretch_of(resolved(scheme), 1.0)), plain) << scheme;
    }
  }
}

TEST(Ntk, KeepsTheFastestPairAndSlowsTheSlowestByTheFactor) {
  const std::vector<double> plain = frequencies_under({});
  const std::vector<double> slowed = frequencies_under(stretch_of(resolved("ntk"), 4.0));
  EXPECT_DOUBLE_EQ(slowed.front(), plain.front());
  EXPECT_NEAR(plain.back() / slowed.back(), 4.0, 1e-12);
  EXPECT_GT(slowed[1], plain[1] / 4.0);
}

Stretch longrope(const std::string& options, double factor) {
  return stretch_of(resolved("longrope" + options), factor);
}

TEST(Longrope, WithoutFactorsIsNtk) {
  const std::vector<double> ntk = frequencies_under(stretch_of(resolved("ntk"), 4.0));
  const std::vector<double> slowed = frequencies_under(longrope("", 4.0));
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(slowed[i] / ntk[i], 1.0, 1e-12) << i;
}

TEST(Longrope, DividesTheFrequencyOfEachPairByItsFactor) {
  const std::vector<double> plain = frequencies_under({});
  const std::vector<double> slowed = frequencies_under(longrope("(longrope_factors=1 1.25 3 8)", 4.0));
  const double factors[] = {1.0, 1.25, 3.0, 8.0};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(plain[i] / slowed[i], factors[i], 1e-12) << i;
}

// Positions 9 and 4 as scores() has them: the query is slowed, the key below 5 is not.
TEST(Longrope, PositionsBelowUnchangedTurnAsInTraining) {
  const std::vector<double> plain = scores<double>("rope", 9, 4);
  const std::vector<double> all = scores<double>("rope", 9, 4, longrope("", 4.0));
  const std::vector<double> some = scores<double>("rope", 9, 4, longrope("(longrope_unchanged=5)", 4.0));
  EXPECT_EQ(scores<double>("rope", 9, 4, longrope("(longrope_unchanged=10)", 4.0)), plain);
  EXPECT_NE(some, all);
  EXPECT_NE(some, plain);
}

TEST(Yarn, LeavesFastPairsSlowsSlowOnesAndRampsBetween) {
  const PositionScheme yarn = resolved("yarn", 4096);  // the paper's: α = 1, β = 32
  const std::vector<double> plain = sinusoidal_frequencies(128);
  const std::vector<double> slowed = stretch_of(yarn, 16.0).frequencies(128, 10000.0);
  EXPECT_DOUBLE_EQ(option_of(yarn, "yarn_alpha"), 1.0);
  EXPECT_DOUBLE_EQ(option_of(yarn, "yarn_beta"), 32.0);
  int ramped = 0;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const double turns = 4096.0 * plain[i] / (2.0 * std::numbers::pi);
    const double share = std::clamp((turns - 1.0) / 31.0, 0.0, 1.0);
    EXPECT_NEAR(slowed[i], (1.0 - share) * plain[i] / 16.0 + share * plain[i], 1e-15) << i;
    ramped += share > 0.0 && share < 1.0 ? 1 : 0;
  }
  EXPECT_GT(ramped, 10);
  EXPECT_DOUBLE_EQ(slowed.front(), plain.front());
  EXPECT_DOUBLE_EQ(slowed.back(), plain.back() / 16.0);
}

TEST(Yarn, TrapThePapersBetaWouldSlowEveryPairAtAShortTrainingLength) {
  const PositionScheme yarn = resolved("yarn");  // L = 64: the fastest pair turns 10 times
  EXPECT_NEAR(option_of(yarn, "yarn_beta"), 64.0 / (4.0 * std::numbers::pi), 1e-12);
  EXPECT_DOUBLE_EQ(frequencies_under(stretch_of(yarn, 4.0)).front(), 1.0);
}

TEST(Yarn, TheAutomaticBetaIsAboveAlpha) {
  for (const double alpha : {1.0, 31.5, 40.0}) {
    EXPECT_GE(option_of(resolved("yarn(yarn_alpha=" + number_text(alpha) + ")"), "yarn_beta"), alpha + 1.0);
  }
}

// α and β of the scheme reach the model, and other ones give other scores.
TEST(Yarn, OptionsOfTheSchemeReachTheScores) {
  const auto stretch = [](const std::string& text) {
    return *make_positions(resolved(text), 1, 256).stretch();
  };
  EXPECT_EQ(scores<double>("rope", 9, 4, stretch("yarn")),
            scores<double>("rope", 9, 4, stretch_of(resolved("yarn"), 4.0)));
  EXPECT_NE(scores<double>("rope", 9, 4, stretch("yarn(yarn_beta=40)")),
            scores<double>("rope", 9, 4, stretch("yarn")));
  EXPECT_NE(scores<double>("rope", 9, 4, stretch("yarn(yarn_alpha=4)")),
            scores<double>("rope", 9, 4, stretch("yarn")));
}

TEST(Yarn, ScalesScoresByTheSquareOfItsTemperature) {
  const double magnitude = 0.1 * std::log(4.0) + 1.0;
  const std::vector<double> at_zero = scores<double>("rope", 0, 0);
  const std::vector<double> stretched = scores<double>("rope", 0, 0, stretch_of(resolved("yarn"), 4.0));
  for (std::size_t h = 0; h < at_zero.size(); ++h) {
    EXPECT_NEAR(stretched[h], at_zero[h] * magnitude * magnitude, 1e-12);
  }
}

// p-RoPE (Barbero et al. 2024) and HoPE (Chen et al. 2024).
Index turning_pairs(const std::string& options, Index d_head = 16) {
  const testing::Rig<> rope("rope(" + options + ")", {.d_model = d_head, .heads = 1, .n_kv_heads = 1});
  return std::ranges::count_if(rope->frequencies({}), [](double frequency) { return frequency > 0.0; });
}

TEST(TurningPairs, AreTheFastestAndThoseThatTurnInTraining) {  // frequencies 1, 0.316, 0.1, 0.0316, …
  EXPECT_EQ(turning_pairs("turning=1"), 8);
  EXPECT_EQ(turning_pairs("turning=0.75"), 6);
  EXPECT_EQ(turning_pairs("turning=0.7"), 6);
  EXPECT_EQ(turning_pairs("turning=0"), 0);
  EXPECT_EQ(turning_pairs("least_turns=1"), 3);  // ω ≥ 2π/64 = 0.098
  EXPECT_EQ(turning_pairs("turning=0.25, least_turns=1"), 2);
}

// 0.07 · 100 is 7.000000000000001 in doubles.
TEST(TurningPairs, AreCountedExactly) { EXPECT_EQ(turning_pairs("turning=0.07", 200), 7); }

TEST(TurningPairs, TheOthersHaveFrequencyZeroAlsoWhenStretched) {
  const testing::Rig<> rope("rope(turning=0.5)", {.d_model = 16, .heads = 1, .n_kv_heads = 1});
  for (const Stretch& stretch : {Stretch{}, stretch_of(resolved("ntk"), 4.0)}) {
    std::vector<double> expected = frequencies_under(stretch, 16);
    std::fill(expected.begin() + 4, expected.end(), 0.0);
    EXPECT_EQ(rope->frequencies(stretch), expected);
  }
}

}  // namespace
}  // namespace ordinal
