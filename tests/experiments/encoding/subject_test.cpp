#include "experiments/encoding/subject.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/core/errors.h"
#include "tests/framework/storage/scratch_folder.h"

namespace ordinal::experiments {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Settings with(const std::string& key, const std::string& value) {
  Settings settings;
  settings.set(key, value, command_line_origin);
  return settings;
}

std::string error_of(const auto& call) { return message_of<ConfigError>(call); }

TEST(GivenPositions, AreRealNumbersInAnyOrder) {
  EXPECT_THAT(given_positions(Settings()), IsEmpty());
  EXPECT_THAT(given_positions(with("encoding.positions", "5, 7.5, -1,1e3")),
              ElementsAre(5.0, 7.5, -1.0, 1000.0));
}

TEST(GivenPositions, ThatAreNoNumbersAreNamed) {
  for (const char* wrong : {"five", "1e10", "inf", "3x"}) {
    EXPECT_THAT(error_of([&] { given_positions(with("encoding.positions", std::string("1, ") + wrong)); }),
                HasSubstr(std::string("encoding.positions: got '") + wrong + "', expected real numbers"));
  }
}

TEST(GivenPositions, AndTheirNumberExcludeEachOther) {
  Settings both = with("encoding.positions", "5, 10");
  both.set("encoding.seq_len", "2", command_line_origin);
  EXPECT_THAT(error_of([&] { given_positions(both); }), HasSubstr("leave one of them out"));
}

TEST(GivenPositions, NeedASchemeThatChoosesNone) {
  for (const char* scheme : {"contiguous", "ntk", "yarn", "dynamic_ntk"}) {
    EXPECT_NO_THROW(check_given_positions("rope", make_position_scheme(scheme))) << scheme;
  }
  for (const char* scheme :
       {"contiguous(offset=5)", "interpolated", "randomized", "random_float", "spaced"}) {
    PositionScheme own = make_position_scheme(scheme);
    own.resolve(16, 16);
    EXPECT_THAT(error_of([&] { check_given_positions("rope", own); }), HasSubstr("chooses positions itself"))
        << scheme;
  }
}

TEST(GivenPositions, NeedAnEncodingThatReadsThem) {
  EXPECT_THAT(error_of([] { check_given_positions("none", {}); }), HasSubstr("none takes no positions"));
  EXPECT_THAT(error_of([] { check_given_positions("cope", {}); }), HasSubstr("cope takes no positions"));
  EXPECT_NO_THROW(check_given_positions("none+alibi", {}));
}

TEST(Reach, CountsTheTokensUpToTheLastPosition) {
  EXPECT_EQ(reach_of(std::vector{5.0, 100.0, 10.0}), 101);
  EXPECT_EQ(reach_of(std::vector{0.5}), 1);
  EXPECT_EQ(reach_of(std::vector{-3.0}), 1);
  EXPECT_EQ(reach_of(std::vector{1e9}), 1000000);
}

TEST(EvenlySpaced, MeansTheSameStepForward) {
  EXPECT_TRUE(evenly_spaced(std::vector{5.0, 10.0, 15.0}));
  EXPECT_FALSE(evenly_spaced(std::vector{5.0, 10.0, 15.0}, 1.0));
  EXPECT_TRUE(evenly_spaced(std::vector{5.0, 6.0, 7.0}, 1.0));
  EXPECT_FALSE(evenly_spaced(std::vector{5.0, 10.0, 16.0}));
  EXPECT_FALSE(evenly_spaced(std::vector{7.0, 6.0, 5.0}));
  EXPECT_TRUE(evenly_spaced(std::vector{7.0}, 1.0));
}

TEST(Offsets, OfTheDefaultAreThoseThatFit) {
  EXPECT_THAT(chosen_offsets(Settings(), 128), ElementsAre(1, 5, 10, 50));
  EXPECT_THAT(chosen_offsets(Settings(), 10), ElementsAre(1, 5));
}

TEST(Offsets, ThatAreGivenMustFit) {
  EXPECT_THAT(chosen_offsets(with("encoding.offsets", "0, 7"), 8), ElementsAre(0, 7));
  EXPECT_THAT(error_of([] { chosen_offsets(with("encoding.offsets", "1, 8"), 8); }),
              HasSubstr("got 8, expected offsets below the 8 positions"));
  EXPECT_THAT(error_of([] { chosen_offsets(with("encoding.offsets", "-1"), 8); }), HasSubstr("got '-1'"));
  EXPECT_THAT(error_of([] { chosen_offsets(with("encoding.offsets", "1.5"), 8); }), HasSubstr("got '1.5'"));
}

}  // namespace
}  // namespace ordinal::experiments
