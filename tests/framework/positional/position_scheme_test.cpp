// Which positions tokens are given.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "framework/core/errors.h"
#include "framework/positional/position_scheme.h"

namespace ordinal {
namespace {

using Kind = PositionScheme::Kind;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::vector<double> of(const Positions& positions, Index sequence = 0) {
  const auto span = positions.of(sequence);
  return {span.begin(), span.end()};
}

PositionScheme scheme(Kind kind, Index max_position = 50) {
  return {.kind = kind, .train_length = 4, .max_position = max_position};
}

TEST(PositionSchemes, AreFoundByName) {
  EXPECT_EQ(position_scheme("yarn"), Kind::yarn);
  EXPECT_EQ(position_scheme_names().size(), 8U);
  for (const std::string& name : position_scheme_names()) EXPECT_NO_THROW(position_scheme(name));
  EXPECT_THAT([] { position_scheme("ntk2"); },
              ThrowsMessage<ConfigError>(HasSubstr("got 'ntk2', expected one of")));
}

TEST(Contiguous, CountsFromTheOffset) {
  EXPECT_THAT(of(make_positions({.offset = 7.0}, 2, 3), 1), ElementsAre(7, 8, 9));
}

TEST(Interpolated, SqueezesALongSequenceIntoTheTrainingRange) {
  EXPECT_THAT(of(make_positions(scheme(Kind::interpolated), 1, 8)),
              ElementsAre(0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5));
}

TEST(Interpolated, AtTheTrainingLengthOrBelowIsContiguous) {
  for (const Index length : {1, 3, 4}) {
    EXPECT_EQ(of(make_positions(scheme(Kind::interpolated), 1, length)),
              of(Positions::contiguous(1, length)));
  }
}

TEST(Interpolated, ByAFixedScaleWhateverTheLength) {
  PositionScheme fixed = scheme(Kind::interpolated);
  fixed.scale = 4.0;
  EXPECT_THAT(of(make_positions(fixed, 1, 3)), ElementsAre(0, 0.25, 0.5));
}

TEST(Stretched, SchemesCountAsContiguousAndSayHowFarTheyStretch) {
  for (const Kind kind : {Kind::ntk, Kind::dynamic_ntk, Kind::yarn}) {
    const Positions positions = make_positions(scheme(kind), 1, 8);
    EXPECT_EQ(of(positions), of(Positions::contiguous(1, 8)));
    EXPECT_EQ(positions.stretch().factor, 2.0);
    EXPECT_EQ(positions.stretch().kind, kind == Kind::yarn ? Stretch::Kind::yarn : Stretch::Kind::ntk);
    EXPECT_EQ(make_positions(scheme(kind), 1, 3).stretch().factor, 1.0);
  }
}

TEST(DynamicNtk, FollowsTheLengthWhateverTheScale) {
  PositionScheme dynamic = scheme(Kind::dynamic_ntk);
  dynamic.scale = 16.0;
  EXPECT_EQ(make_positions(dynamic, 1, 8).stretch().factor, 2.0);
}

TEST(Randomized, PositionsAreSortedDistinctWholeAndInRange) {
  const Positions positions = make_positions(scheme(Kind::randomized), 20, 30, {.seed = 3});
  for (Index b = 0; b < 20; ++b) {
    const std::vector<double> one = of(positions, b);
    EXPECT_TRUE(std::ranges::is_sorted(one));
    EXPECT_EQ(std::set<double>(one.begin(), one.end()).size(), 30U);
    EXPECT_GE(one.front(), 0.0);
    EXPECT_LT(one.back(), 50.0);
    for (const double p : one) EXPECT_EQ(p, std::floor(p));
  }
  EXPECT_NE(of(positions, 0), of(positions, 1));
}

TEST(Randomized, SubsetsAreUniform) {
  std::vector<int> seen(10);
  const Positions positions = make_positions(scheme(Kind::randomized, 10), 20000, 3, {.seed = 1});
  for (Index b = 0; b < 20000; ++b) {
    for (const double p : positions.of(b)) ++seen[static_cast<std::size_t>(p)];
  }
  for (const int count : seen) EXPECT_NEAR(count, 6000, 330);  // 5 standard deviations of a binomial
}

TEST(Randomized, FromARangeAsLongAsTheSequenceIsContiguous) {
  EXPECT_EQ(of(make_positions(scheme(Kind::randomized, 9), 1, 9)), of(Positions::contiguous(1, 9)));
}

TEST(RandomFloat, PositionsAreSortedAndInRange) {
  const Positions positions = make_positions(scheme(Kind::random_float), 20, 30, {.seed = 3});
  for (Index b = 0; b < 20; ++b) {
    const std::vector<double> one = of(positions, b);
    EXPECT_TRUE(std::ranges::is_sorted(one));
    EXPECT_GE(one.front(), 0.0);
    EXPECT_LT(one.back(), 50.0);
  }
}

// An example's positions depend on its key alone: not on the batch or shard that it is drawn in.
TEST(RandomPositions, AreReproducibleHoweverTheBatchIsCut) {
  for (const Kind kind : {Kind::randomized, Kind::random_float}) {
    const Positions whole = make_positions(scheme(kind), 6, 8, {.seed = 3, .step = 5});
    const Positions part = make_positions(scheme(kind), 2, 8, {.seed = 3, .step = 5, .example = 4});
    EXPECT_EQ(of(part, 0), of(whole, 4));
    EXPECT_EQ(of(part, 1), of(whole, 5));
    EXPECT_NE(of(make_positions(scheme(kind), 1, 8, {.seed = 3, .step = 6})), of(whole, 0));
    EXPECT_NE(of(make_positions(scheme(kind), 1, 8, {.seed = 4, .step = 5})), of(whole, 0));
  }
}

TEST(Spaced, CoversTheRangeEvenly) {
  EXPECT_THAT(of(make_positions(scheme(Kind::spaced, 10), 1, 4)), ElementsAre(0, 2, 5, 7));
}

TEST(Ranges, ThatAreTooSmallAreRefused) {
  for (const Kind kind : {Kind::randomized, Kind::random_float, Kind::spaced}) {
    EXPECT_THAT([&] { make_positions(scheme(kind, 7), 1, 8); },
                ThrowsMessage<std::out_of_range>(HasSubstr("raise positional.max_position")));
  }
}

TEST(CheckPositions, AcceptsWhatHasAMeaning) {
  for (const char* encoding : {"sinusoidal", "learned", "alibi", "t5", "rope", "none+alibi", "cope+rope"}) {
    EXPECT_NO_THROW(check_positions(encoding, "randomized")) << encoding;
  }
  for (const char* encoding : {"rope", "xpos", "sinusoidal+rope"}) {
    for (const char* kind : {"ntk", "dynamic_ntk", "yarn"}) EXPECT_NO_THROW(check_positions(encoding, kind));
  }
  EXPECT_NO_THROW(check_positions("none", "contiguous"));
}

TEST(CheckPositions, RefusesWhatHasNoneAndSaysWhy) {
  EXPECT_THAT([] { check_positions("alibi", "yarn"); },
              ThrowsMessage<ConfigError>(HasSubstr("alibi rotates nothing (use rope or xpos)")));
  for (const char* encoding : {"none", "cope", "none+cope"}) {
    EXPECT_THAT([&] { check_positions(encoding, "interpolated"); },
                ThrowsMessage<ConfigError>(HasSubstr("takes no positions")));
  }
}

}  // namespace
}  // namespace ordinal
