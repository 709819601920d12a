// What encodings and position schemes refuse, and how they say it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

#include "framework/core/errors.h"
#include "framework/positional/position_scheme.h"
#include "framework/positional/rotary.h"
#include "tests/framework/positional/rig.h"
#include "tests/message_of.h"

namespace ordinal {
namespace {

using ::testing::HasSubstr;

struct Refused {
  std::string encoding;
  std::string why;  // all of the message, or a part of it
  ModelShape shape = {.d_model = 16};
};

constexpr Index too_many = 1'000'000'000'000;
const std::string odd = "(set pad_odd = true to pad it by one, functions = sine or cosine, or use another ";
const Refused refused_encodings[] = {
    {"sinusoidal+rotory", "got 'rotory', expected one of none, sinusoidal, learned, rope, "},
    {"alibi+rope+alibi", "expected alibi only once"},
    {"alibi+none", "positional encoding: got 'alibi+none', expected none alone"},
    {"none+none", "expected none alone"},
    {"alibi+cope", "cope is defined only where no token sees later ones (a causal model)", {.causal = false}},
    {"learned(buckets=16)+t5",
     "learned has no option buckets, expected one of overflow, init_sd, grow, max_seq_len"},
    {"t5(buckets=1)", "t5: buckets = 1, expected at least 2"},
    {"t5(buckets=32, max_distance=16)",
     "t5: max_distance = 16 must exceed 16, the distances that 32 buckets hold exactly"},
    {"t5(buckets=3)", "t5: buckets = 3, expected at least 4", {.d_model = 16, .causal = false}},
    {"rope(rotary_fraction=0.4)", "3 of a head's 8 dimensions would be rotated", {.d_model = 16, .heads = 2}},
    {"learned(max_seq_len=-1, overflow=clamp)",
     "learned: max_seq_len: got -1, expected a whole number from 1 to 1000000000, or 0"},
    {"learned(overflow=wrap)",
     "learned: overflow: got 'wrap', expected one of error, clamp, interpolate, untrained"},
    {"learned", "a row for each of 1000000000000 positions, expected at most 1e+09", {.positions = too_many}},
    {"learned(max_seq_len=5)", "max_seq_len = 5 is less than the 64 positions of training"},
    {"learned(max_seq_len=5, overflow=untrained)",
     "max_seq_len = 5 is less than the 64 positions of training"},
    {"sinusoidal", "sinusoidal: needs an even width, got 7 " + odd + "d_model)", {.d_model = 7}},
    {"sinusoidal(layout=halves)", "got 7 " + odd + "d_model)", {.d_model = 7}},
    {"sinusoidal(band_to=0.5)", "got 7 " + odd + "d_model)", {.d_model = 7}},
    {"sinusoidal(concatenated=3)", "got 3 " + odd + "concatenated)", {.d_model = 8}},
    {"sinusoidal(layout=halves, functions=sine)",
     "layout = halves orders pairs, and functions = sine has none (set functions = both)"},
    {"sinusoidal(concatenated=8)",
     "concatenated = 8 leaves no feature of 8 to tokens, expected at most 7",
     {.d_model = 8}},
    {"sinusoidal(band_from=0.5, band_to=0.5)",
     "band_from = 0.5 and band_to = 0.5 keep none of 4 frequencies, expected at least one",
     {.d_model = 8}},
    {"sinusoidal(band_to=0.5, test_band_from=0.5)",
     "test_band_from = 0.5 and test_band_to = 1 keep none of 4 frequencies, expected at least one",
     {.d_model = 8}},
    {"sinusoidal(band_from=1.5)", "band_from: got 1.5, expected a number from 0 to 1"},
};

TEST(Refusals, OfAnEncodingSayWhatIsExpected) {
  for (const Refused& wrong : refused_encodings) {
    EXPECT_THAT(message_of<ConfigError>([&] { testing::Rig<>(wrong.encoding, wrong.shape); }),
                HasSubstr(wrong.why))
        << wrong.encoding;
  }
}

TEST(Refusals, AreNotOfWhatIsNextToThem) {
  const Refused accepted[] = {{"t5(buckets=3)", "", {.d_model = 16}},
                              {"learned(max_seq_len=5, overflow=clamp)", "", {.positions = too_many}},
                              {"learned(max_seq_len=5, overflow=interpolate)", ""},
                              {"sinusoidal(layout=halves, pad_odd=true)", "", {.d_model = 7}},
                              {"sinusoidal(band_to=0.5, pad_odd=true)", "", {.d_model = 7}},
                              {"sinusoidal(concatenated=3, pad_odd=true)", "", {.d_model = 7}},
                              {"sinusoidal(functions=sine)", "", {.d_model = 7}},
                              {"sinusoidal(concatenated=4)", "", {.d_model = 7}}};
  for (const Refused& right : accepted)
    EXPECT_NO_THROW(testing::Rig<>(right.encoding, right.shape)) << right.encoding;
}

struct RefusedPositions {
  std::string encoding;
  Positions positions;
  std::string why;
};

// The learned tables have 100 rows.
TEST(Refusals, OfAPositionNameTheWayOut) {
  const RefusedPositions all[] = {
      {"learned", Positions::contiguous(1, 200),
       "LearnedPositionalEncoding: sequence length 200 exceeds max_seq_len 100 (set overflow to clamp, "
       "interpolate or untrained, or raise max_seq_len)"},
      {"learned", Positions::contiguous(1, 10, 95.0), "sequence length 105 exceeds max_seq_len 100"},
      {"learned", Positions::shared(1, {100.0}), "exceeds max_seq_len 100"},
      {"learned(overflow=untrained)", Positions::contiguous(1, 101),
       "LearnedPositionalEncoding: sequence length 101 exceeds max_seq_len 100"},
      {"xpos", Positions::shared(1, {5000.0, 0.0}), "raise xpos_scale"},
  };
  for (const RefusedPositions& wrong : all) {
    testing::Rig<float> rig(wrong.encoding, {.d_model = 16, .train_length = 100, .positions = 100});
    const Tensor<float> x({wrong.positions.seq_len(), 16});
    EXPECT_THAT(message_of<PositionError>([&] { rig.at(wrong.positions).input(x); }), HasSubstr(wrong.why))
        << wrong.encoding;
  }
}

TEST(Refusals, OfPositionsBelowZeroAndInfiniteOnesDoNotDependOnTheOverflow) {
  for (const std::string overflow : {"error", "clamp", "interpolate", "untrained"}) {
    testing::Rig<> rig("learned(overflow=" + overflow + ")");
    for (const double position : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
      EXPECT_THAT(message_of<PositionError>([&] {
                    rig.at({position}).input(Tensor<double>({1, 16}));
                  }),
                  HasSubstr("expected a finite one, 0 or greater"))
          << overflow << " " << position;
    }
  }
}

// The exception that a comparison shows as `fails` must differ from that of an index out of range, which is a bug.
static_assert(!std::is_base_of_v<std::logic_error, PositionError>);

struct RefusedScheme {
  std::string scheme;
  std::string why;
};

// The training length is 64, the longest 256.
TEST(Refusals, OfAPositionSchemeSayWhatIsExpected) {
  const RefusedScheme all[] = {
      {"ntk2", "positions: got 'ntk2' (did you mean ntk?), expected one of contiguous, "},
      {"ntk(yarn_beta=8)", "ntk has no option yarn_beta, expected one of scale"},
      {"dynamic_ntk(scale=4)", "dynamic_ntk has no options, got scale = 4"},
      {"yarn(yarn_alpha=8, yarn_beta=8)", "yarn: yarn_alpha = 8 is not below yarn_beta = 8"},
      {"randomized(max_position=5)",
       "max_position = 5 is less than 64, expected as many positions as tokens"},
      {"longrope(longrope_factors=2)", "got one factor in longrope_factors, expected two or more"},
      {"longrope(longrope_factors=1 x)", "got a factor 'x'"},
      {"longrope(longrope_factors=1  2)", "got a factor ''"},
      {"longrope(longrope_factors=1 0.99)", "expected numbers of at least 1"},
  };
  for (const RefusedScheme& wrong : all) {
    EXPECT_THAT(message_of<ConfigError>([&] { make_position_scheme(wrong.scheme).resolve(64, 256); }),
                HasSubstr(wrong.why))
        << wrong.scheme;
  }
}

// It would stretch what is meant to be compressed.
TEST(Refusals, OfAScaleBelowOneHoldForEverySchemeThatHasOne) {
  std::vector<std::string> scaled;
  for (const SchemeEntry& entry : position_schemes().entries()) {
    if (std::ranges::find(entry.options, "scale", &OptionSpec::name) == entry.options.end()) continue;
    scaled.push_back(entry.name);
    EXPECT_THAT(message_of<ConfigError>([&] { make_position_scheme(entry.name + "(scale=0.999)"); }),
                entry.name +
                    ": scale: got 0.999, expected a number of at least 1, or 0 "
                    "for automatic");
  }
  EXPECT_THAT(scaled, ::testing::ElementsAre("interpolated", "ntk", "yarn", "longrope"));
}

TEST(Refusals, OfAStretchThatNoBaseCanHaveSayWhatToLower) {
  for (const std::string encoding : {"rope(base=1e300)", "xpos+rope(base=1e300)"}) {
    const testing::Rig<> rig(encoding, {.d_model = 16, .heads = 2, .n_kv_heads = 2});
    const auto check = [&](const std::string& text) {
      PositionScheme scheme = make_position_scheme(text);
      scheme.resolve(64, 512);
      rig->check_stretch(stretch_of(make_positions(scheme, 1, 512)));
    };
    EXPECT_THAT(message_of<ConfigError>([&] { check("ntk(scale=1e20)"); }),
                "ntk: base 1e+300, raised for s = 1e+20, is infinite, expected a "
                "finite one (lower scale or base)");
    for (const std::string finite : {"ntk(scale=1e5)", "ntk", "yarn(scale=1e20)", "contiguous"})
      EXPECT_NO_THROW(check(finite)) << encoding << " " << finite;
  }
}

TEST(Refusals, OfAPairOfEncodingAndPositionsSayWhy) {
  const RefusedScheme all[] = {{"alibi:yarn", "which alibi does not have (use rope or xpos)"},
                               {"none:interpolated", "takes no positions"},
                               {"cope:interpolated", "takes no positions"}};
  const auto check = [](const std::string& pair) {
    const std::size_t colon = pair.find(':');
    check_positions(pair.substr(0, colon), make_position_scheme(pair.substr(colon + 1)));
  };
  for (const RefusedScheme& wrong : all) {
    EXPECT_THAT(message_of<ConfigError>([&] { check(wrong.scheme); }), HasSubstr(wrong.why)) << wrong.scheme;
  }
  for (const std::string encoding : {"sinusoidal", "learned", "alibi", "t5", "rope", "cope+rope"})
    EXPECT_NO_THROW(check(encoding + ":randomized")) << encoding;
  for (const std::string encoding : {"rope", "xpos", "sinusoidal+rope"}) {
    for (const std::string scheme : {"ntk", "dynamic_ntk", "yarn", "longrope", "yarn(yarn_beta=8)"})
      EXPECT_NO_THROW(check(encoding + ":" + scheme)) << encoding << " " << scheme;
  }
  EXPECT_NO_THROW(check("none:contiguous"));
}

}  // namespace
}  // namespace ordinal
