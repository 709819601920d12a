// Which positions tokens are given.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "framework/core/errors.h"
#include "framework/positional/position_scheme.h"
#include "framework/positional/rotary.h"
#include "tests/framework/largest_difference.h"
#include "tests/message_of.h"

namespace ordinal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<double> of(const Positions& positions, Index sequence = 0) {
  const auto span = positions.of(sequence);
  return {span.begin(), span.end()};
}

PositionScheme scheme(const std::string& text, Index max_position = 50) {
  PositionScheme scheme = make_position_scheme(text);
  scheme.train_length = 4;
  scheme.max_position = max_position;
  return scheme;
}

// Those of a model trained on 8 tokens and tested on up to 32. A task gives its tokens 1, 2, …
Positions placed(const std::string& name, Index batch, Index seq_len, const RandomKey& first = {},
                 double offset = 0.0) {
  PositionScheme scheme = make_position_scheme(name);
  scheme.offset = offset;
  scheme.resolve(8, 32);
  if (!scheme.of_task()) return make_positions(scheme, batch, seq_len, first);
  std::vector<double> given;
  for (Index i = 0; i < batch * seq_len; ++i) given.push_back(static_cast<double>(i % seq_len + 1));
  return moved_positions(scheme, batch, given, first);
}

class EveryScheme : public ::testing::TestWithParam<std::string> {
 protected:
  const SchemeEntry& entry() const { return position_schemes().find(GetParam()); }
};

TEST_P(EveryScheme, GivesEveryTokenAPositionThatIsNotBelowTheLast) {
  for (const Index seq_len : {1, 5, 8, 32}) {
    const Positions positions = placed(GetParam(), 3, seq_len, {.seed = 3});
    for (Index b = 0; b < 3; ++b) {
      const std::vector<double> one = of(positions, b);
      ASSERT_EQ(std::ssize(one), seq_len);
      EXPECT_TRUE(std::ranges::is_sorted(one)) << "positions " << ::testing::PrintToString(one);
      EXPECT_TRUE(std::ranges::all_of(one, [](double p) { return p >= 0.0 && std::isfinite(p); }))
          << "positions " << ::testing::PrintToString(one);
      EXPECT_TRUE(!entry().has_range || one.back() < 64.0) << one.back() << ", expected below max_position";
    }
  }
}

// Else the condition `shifted` would change nothing. It refuses those that fill a range.
TEST_P(EveryScheme, IsMovedByAnOffset) {
  if (entry().has_range) return;
  std::vector<double> moved = of(placed(GetParam(), 1, 32));
  for (double& position : moved) position += 7.0;
  EXPECT_TRUE(of(placed(GetParam(), 1, 32, {}, 7.0)) == moved) << "it starts at the same position";
}

// They depend on the key of an example alone, and not on the batch or shard that it is drawn in.
TEST_P(EveryScheme, IsReproducibleHoweverTheBatchIsCut) {
  const Positions whole = placed(GetParam(), 6, 8, {.seed = 3, .step = 5});
  const Positions part = placed(GetParam(), 2, 8, {.seed = 3, .step = 5, .example = 4});
  EXPECT_TRUE(of(part, 0) == of(whole, 4) && of(part, 1) == of(whole, 5))
      << "examples have other positions in another batch";
}

TEST_P(EveryScheme, DiffersBetweenExamplesIfItSaysThatItIsRandom) {
  const Positions whole = placed(GetParam(), 6, 8, {.seed = 3, .step = 5});
  const bool random = entry().is_random;
  EXPECT_TRUE((of(whole, 0) != of(whole, 4)) == random) << "two examples";
  EXPECT_TRUE((of(placed(GetParam(), 1, 8, {.seed = 3, .step = 6})) != of(whole)) == random) << "two steps";
  EXPECT_TRUE((of(placed(GetParam(), 1, 8, {.seed = 4, .step = 5})) != of(whole)) == random) << "two seeds";
}

// Of queries and keys in a head of 16 dimensions.
std::vector<double> turns(const Positions& positions) {
  const Stretch none;
  const Stretch& stretch = positions.stretch() ? *positions.stretch() : none;
  std::vector<double> all =
      stretch.frequencies ? stretch.frequencies(16, 100.0) : sinusoidal_frequencies(16, 100.0);
  all.push_back(stretch.magnitude);
  return all;
}

TEST_P(EveryScheme, WithAScaleChangesLongSequencesAlone) {
  for (const Index seq_len : {4, 8, 32}) {
    const Positions positions = placed(GetParam(), 1, seq_len);
    const Positions counted = Positions::contiguous(1, seq_len);
    const std::vector<double> rotation = turns(positions);
    EXPECT_TRUE(std::ranges::all_of(rotation, [](double x) { return x > 0.0 && std::isfinite(x); }))
        << "frequencies and magnitude " << ::testing::PrintToString(rotation);
    if (!entry().scales) continue;
    const bool same =
        of(positions) == of(counted) && testing::largest_difference(rotation, turns(counted)) < 1e-12;
    EXPECT_TRUE(same == (seq_len <= 8))
        << seq_len << " tokens " << (same ? "have" : "do not have") << " the positions of training on 8";
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryScheme, ::testing::ValuesIn(position_schemes().names()),
                         [](const auto& info) { return info.param; });

TEST(PositionSchemes, AreFoundByName) {
  for (const std::string& name : position_schemes().names())
    EXPECT_EQ(make_position_scheme(name).name(), name);
  EXPECT_EQ(PositionScheme().name(), "contiguous");
}

TEST(PositionSchemes, TakeTheirOptions) {
  struct Option {
    std::string scheme, name, value;
  };
  for (const auto& [text, name, value] : {Option{"contiguous(offset=7)", "offset", "7"},
                                          {"ntk(scale=4)", "scale", "4"},
                                          {"spaced(max_position=99)", "max_position", "99"},
                                          {"yarn(yarn_alpha=2, yarn_beta=8)", "yarn_alpha", "2"},
                                          {"yarn(yarn_beta=8)", "yarn_beta", "8"},
                                          {"longrope(longrope_unchanged=3)", "longrope_unchanged", "3"},
                                          {"task(ids=named)", "ids", "named"}}) {
    const auto specs = specs_of(make_position_scheme(text));
    EXPECT_EQ(std::ranges::find(specs, name, &OptionSpec::name)->value, value) << text;
  }
  EXPECT_EQ(make_position_scheme("task(ids=named)").ids, "named");
  EXPECT_EQ(make_position_scheme("task").ids, "auto");
}

TEST(PositionSchemes, OfAUserNeedAFreeName) {
  EXPECT_THAT(
      message_of<std::invalid_argument>([] { position_schemes().add(position_schemes().find("yarn")); }),
      "positions: yarn is registered already");
}

TEST(PositionSchemes, WorkOutTheirRangeFromTheLongestLength) {
  for (const std::string name : {"randomized", "random_float", "spaced", "random_shift", "task"}) {
    PositionScheme automatic = make_position_scheme(name);
    automatic.resolve(64, 512);
    EXPECT_EQ(automatic.train_length, 64);
    EXPECT_EQ(automatic.max_position, 1024);
    PositionScheme of_training = make_position_scheme(name);
    of_training.resolve(64, 16);
    EXPECT_EQ(of_training.max_position, 128);
    PositionScheme given = make_position_scheme(name + "(max_position=600)");
    given.resolve(64, 512);
    EXPECT_EQ(given.max_position, 600);
    PositionScheme largest = make_position_scheme(name);
    largest.resolve(900'000'000, 900'000'000);
    EXPECT_EQ(largest.max_position, 1'000'000'000) << "a larger one could not be given";
  }
}

TEST(PositionSchemes, SayWhatIsInForce) {
  const auto described = [](const std::string& text, Index seq_len) {
    PositionScheme scheme = make_position_scheme(text);
    scheme.resolve(64, 256);
    return scheme.describe(seq_len);
  };
  EXPECT_EQ(described("contiguous", 256), "contiguous");
  EXPECT_EQ(described("contiguous(offset=7)", 256), "contiguous from 7");
  EXPECT_EQ(described("yarn", 256), "yarn, s 4, α 1, β 5.09");
  EXPECT_EQ(described("longrope", 256), "longrope, s 4");
  EXPECT_EQ(described("longrope(longrope_factors=1 2 4, longrope_unchanged=3)", 256),
            "longrope, s 4, λ 1 2 4, from 3 on");
  EXPECT_EQ(described("ntk", 64), "ntk, s 1 (as contiguous)");
  EXPECT_EQ(described("interpolated(scale=2)", 64), "interpolated, s 2");
  EXPECT_EQ(described("randomized", 256), "randomized, below 512");
}

TEST(Contiguous, CountsFromTheOffset) {
  EXPECT_THAT(of(make_positions({.offset = 7.0}, 2, 3), 1), ElementsAre(7, 8, 9));
}

TEST(Interpolated, SqueezesALongSequenceIntoTheTrainingRangeAndLeavesOthers) {
  EXPECT_THAT(of(make_positions(scheme("interpolated"), 1, 8)), ElementsAre(0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5));
  EXPECT_THAT(of(make_positions(scheme("interpolated"), 1, 4)), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(of(make_positions(scheme("interpolated(scale=4)"), 1, 3)), ElementsAre(0, 0.25, 0.5));
}

// 49 · (1/49) is below 1.
TEST(Interpolated, IsWholeWhereTheScaleDividesTheToken) {
  PositionScheme fixed = scheme("interpolated");
  for (Index scale = 1; scale <= 1024; ++scale) {
    fixed.scale = static_cast<double>(scale);
    EXPECT_EQ(of(make_positions(fixed, 1, scale + 1)).back(), 1.0) << scale;
  }
}

TEST(Stretched, SchemesCountAsContiguousAndSayHowFarTheyStretch) {
  for (const std::string kind : {"ntk", "dynamic_ntk", "yarn"}) {
    const Positions positions = make_positions(scheme(kind), 1, 8);
    EXPECT_EQ(of(positions), of(Positions::contiguous(1, 8)));
    EXPECT_EQ(positions.stretch()->factor, 2.0);
    EXPECT_NE(positions.stretch()->magnitude == 1.0, kind == "yarn");
    EXPECT_TRUE(positions.stretch()->frequencies);
    EXPECT_EQ(make_positions(scheme(kind), 1, 3).stretch()->factor, 1.0);
    PositionScheme scaled = scheme(kind);
    scaled.scale = 16.0;
    EXPECT_EQ(make_positions(scaled, 1, 8).stretch()->factor, kind == "dynamic_ntk" ? 2.0 : 16.0);
  }
}

TEST(RandomPositions, AreSortedDifferentAndInRangeAndWholeIfRandomized) {
  for (const std::string kind : {"randomized", "random_float"}) {
    const Positions positions = make_positions(scheme(kind), 20, 30, {.seed = 3});
    for (Index b = 0; b < 20; ++b) {
      const std::vector<double> one = of(positions, b);
      EXPECT_EQ(std::ranges::adjacent_find(one, std::greater_equal<>()), one.end());
      EXPECT_GE(one.front(), 0.0);
      EXPECT_LT(one.back(), 50.0);
      const bool whole = std::ranges::all_of(one, [](double p) { return p == std::floor(p); });
      EXPECT_EQ(whole, kind == "randomized");
    }
    EXPECT_NE(of(positions, 0), of(positions, 1));
  }
}

TEST(Randomized, SubsetsAreUniform) {
  std::vector<int> seen(10);
  const Positions positions = make_positions(scheme("randomized", 10), 20000, 3, {.seed = 1});
  for (Index b = 0; b < 20000; ++b) {
    for (const double p : positions.of(b)) ++seen[static_cast<std::size_t>(p)];
  }
  for (const int count : seen) EXPECT_NEAR(count, 6000, 330);  // 5 standard deviations of a binomial
}

TEST(Randomized, FromARangeAsLongAsTheSequenceIsContiguous) {
  EXPECT_EQ(of(make_positions(scheme("randomized", 9), 1, 9)), of(Positions::contiguous(1, 9)));
}

// No step could wait until a range of 2e9 has been gone through.
TEST(RandomPositions, OfAHugeRangeAreDifferentWholeNumbersAllOverIt) {
  const Positions positions = make_positions(scheme("randomized", 2'000'000'000), 20, 500);
  double largest = 0.0;
  for (Index b = 0; b < 20; ++b) {
    const std::vector<double> one = of(positions, b);
    EXPECT_EQ(std::ranges::adjacent_find(one, std::greater_equal<>()), one.end());
    EXPECT_TRUE(std::ranges::all_of(one, [](double p) { return p == std::floor(p); }));
    EXPECT_NEAR(one[250], 1e9, 4e8);  // the median, off by four standard deviations of at most 2e9 / √500 / 2
    largest = std::max(largest, one.back());
  }
  EXPECT_LT(largest, 2e9);
  EXPECT_GT(largest, 1.99e9);
}

TEST(Spaced, CoversEveryRangeEvenlyRoundedDownExactly) {
  PositionScheme spaced = scheme("spaced");
  for (Index range = 1; range <= 1024; ++range) {
    spaced.max_position = range;
    for (Index seq_len = 1; seq_len <= range; ++seq_len) {
      for (Index t = 0; t < seq_len; ++t) {
        const Index expected = t * range / seq_len;
        ASSERT_EQ(spaced.rule->place(spaced, t, seq_len), static_cast<double>(expected))
            << "token " << t << " of " << seq_len << " below " << range;
      }
    }
  }
}

TEST(Ranges, ThatAreTooSmallAreRefused) {
  for (const std::string kind : {"randomized", "random_float", "spaced", "random_shift"}) {
    EXPECT_THAT(message_of<PositionError>([&] { make_positions(scheme(kind, 7), 1, 8); }),
                HasSubstr("8 tokens need as many positions, got 7 (raise max_position)"));
  }
}

// SHAPE (Kiyono et al. 2021): the distances stay, the first position is any that fits.
TEST(RandomShift, MovesAllPositionsOfAnExampleByTheSameWholeNumber) {
  const Positions positions = make_positions(scheme("random_shift", 12), 2000, 10, {.seed = 5});
  std::array<int, 3> first{};
  for (Index b = 0; b < 2000; ++b) {
    const auto own = positions.of(b);
    ++first.at(static_cast<std::size_t>(own[0]));
    for (std::size_t t = 1; t < 10; ++t) ASSERT_EQ(own[t] - own[t - 1], 1.0);
  }
  for (const int count : first) EXPECT_NEAR(count, 2000 / 3.0, 100);
  EXPECT_EQ(of(make_positions(scheme("random_shift", 9), 1, 9)), of(Positions::contiguous(1, 9)));
}

TEST(OfATask, AreMovedByTheSameWholeNumberAndZerosStay) {
  const std::vector<double> given = {0, 1, 2, 3, 0, 3, 2, 1};
  std::array<int, 3> shifts{};
  for (std::uint32_t example = 0; example < 2000; ++example) {
    const auto moved = of(moved_positions(scheme("task", 6), 1, given, {.seed = 5, .example = example}));
    const double shift = moved[1] - given[1];
    ++shifts.at(static_cast<std::size_t>(shift));
    for (std::size_t t = 0; t < given.size(); ++t)
      ASSERT_EQ(moved[t], given[t] == 0.0 ? 0.0 : given[t] + shift);
  }
  for (const int count : shifts) EXPECT_NEAR(count, 2000 / 3.0, 100);
}

TEST(OfATask, ThatDoNotFitOrHaveNoExampleAreRefused) {
  EXPECT_THAT(message_of<PositionError>([] {
                moved_positions(scheme("task", 3), 1, std::vector<double>{1, 2, 3}, {});
              }),
              HasSubstr("up to 3, expected them below 3 (raise max_position)"));
  for (const Index range : {3, 100}) {  // 3 would not be enough, but more would not help
    EXPECT_THAT(message_of<PositionError>([&] { make_positions(scheme("task", range), 1, 4); }),
                HasSubstr("no example of a task to take them from (choose others behind @"));
  }
}

}  // namespace
}  // namespace ordinal
