// RoPE, xPos and how their frequencies are stretched, with known pitfalls of real projects.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "framework/core/decode_cache.h"
#include "framework/core/errors.h"
#include "framework/core/vector_math.h"
#include "framework/positional/position_scheme.h"
#include "framework/positional/rotary.h"
#include "models/transformer.h"

namespace ordinal {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr Index heads = 2;
constexpr Index d_head = 8;
constexpr Index width = heads * d_head;

const ModelShape shape{.d_model = width, .heads = heads, .n_kv_heads = heads, .train_length = 64};

// q at position i and k at position j after the hook, and their product in each head.
template <typename T>
std::vector<double> scores(const std::string& encoding_text, double i, double j,
                           const Stretch& stretch = {}) {
  ParameterLayout layout;
  const auto encoding = make_positional_encoding<T>(encoding_text, shape, Scope(layout, "positional"));
  const Parameters<T> values(layout);
  Pass<T> pass(values);
  pass.begin({.positions = Positions::shared(1, {i, j}).stretched(stretch)});
  encoding->begin_run(pass);
  Tensor<T> q({2, width});
  Tensor<T> k({2, width});
  Random random({.seed = 1});
  for (Index c = 0; c < width; ++c) {
    q(0, c) = q(1, c) = static_cast<T>(random.normal());
    k(0, c) = k(1, c) = static_cast<T>(random.normal());
  }
  encoding->encode_query_key(q.view(), k.view(), 0, pass);
  std::vector<double> products;
  for (Index h = 0; h < heads; ++h) {
    products.push_back(
        static_cast<double>(vmath::dot(q.view().row(0) + h * d_head, k.view().row(1) + h * d_head, d_head)));
  }
  return products;
}

void expect_near(const std::vector<double>& a, const std::vector<double>& b, double tolerance) {
  for (std::size_t h = 0; h < a.size(); ++h) EXPECT_NEAR(a[h], b[h], tolerance);
}

TEST(Rope, StretchedAnglesAreRoundedAsTheTableIs) {
  const Stretch stretch{Stretch::Kind::ntk, 3.0};
  const double exact = scores<double>("rope", 29, 3, stretch).front();
  const double rounded = scores<double>("rope(precision=half)", 29, 3, stretch).front();
  EXPECT_NE(rounded, exact);
  EXPECT_NEAR(rounded, exact, 1e-2);
}

TEST(Rope, ScoresDependOnTheDifferenceOfPositionsAlone) {
  for (const std::string rope : {"rope(pairing=interleaved)", "rope(pairing=half)"}) {
    const std::vector<double> here = scores<double>(rope, 9, 4);
    for (const double offset : {1.0, 17.5, 1000.0, 65531.0}) {
      expect_near(scores<double>(rope, 9 + offset, 4 + offset), here, 1e-9);
    }
    EXPECT_GT(std::abs(scores<double>(rope, 10, 4)[0] - here[0]), 1e-3);
  }
}

TEST(Rope, TrapAnglesInFloatWouldBeOffAtPosition65536) {
  expect_near(scores<float>("rope", 65536 + 5, 65536), scores<double>("rope", 5, 0), 1e-5);
}

TEST(Rope, TrapWithoutBeginRunTheHookSaysSo) {
  for (const std::string name : {"rope", "xpos"}) {
    ParameterLayout layout;
    const auto encoding = make_positional_encoding<double>(name, shape, Scope(layout, "positional"));
    const Parameters<double> values(layout);
    Pass<double> pass(values);
    Tensor<double> q({2, width});
    Tensor<double> k({2, width});
    pass.begin({.positions = Positions::contiguous(1, 2)});
    EXPECT_THAT([&] { encoding->encode_query_key(q.view(), k.view(), 0, pass); },
                ThrowsMessage<std::logic_error>(HasSubstr("begin_run()")));
    encoding->begin_run(pass);
    EXPECT_NO_THROW(encoding->encode_query_key(q.view(), k.view(), 0, pass));
    pass.begin({.positions = Positions::contiguous(1, 2)});  // another run
    EXPECT_THROW(encoding->encode_query_key(q.view(), k.view(), 0, pass), std::logic_error);
  }
}

TEST(Rope, TrapEachHeadIsRotatedByTheSameAnglesNotAcrossTheModel) {
  ParameterLayout layout;
  const auto rope = make_positional_encoding<double>("rope", shape, Scope(layout, "positional"));
  const Parameters<double> values(layout);
  Pass<double> pass(values);
  pass.begin({.positions = Positions::shared(1, {3.0})});
  rope->begin_run(pass);
  Tensor<double> q({1, width});
  Tensor<double> k({1, width});
  for (Index c = 0; c < width; ++c) q(0, c) = static_cast<double>(c % d_head);
  rope->encode_query_key(q.view(), k.view(), 0, pass);
  for (Index c = 0; c < d_head; ++c) EXPECT_DOUBLE_EQ(q(0, c), q(0, d_head + c));
}

TEST(Rope, AtPositionZeroNothingTurnsAndNormsStay) {
  ParameterLayout layout;
  const auto rope = make_positional_encoding<double>("rope", shape, Scope(layout, "positional"));
  const Parameters<double> values(layout);
  Pass<double> pass(values);
  pass.begin({.positions = Positions::shared(1, {0.0, 12.25})});
  rope->begin_run(pass);
  Tensor<double> q({2, width});
  for (Index i = 0; i < q.size(); ++i) q.data()[i] = 1.0 + static_cast<double>(i % width);
  const Tensor<double> before = q;
  Tensor<double> k = q;
  rope->encode_query_key(q.view(), k.view(), 0, pass);
  for (Index c = 0; c < width; ++c) EXPECT_EQ(q(0, c), before(0, c));
  for (Index c = 0; c < width; c += 2) {
    EXPECT_NEAR(std::hypot(q(1, c), q(1, c + 1)), std::hypot(before(1, c), before(1, c + 1)), 1e-12);
    EXPECT_NE(q(1, c), before(1, c));
  }
}

TEST(Rope, PartOfAHeadMayStay) {
  ParameterLayout layout;
  const auto rope =  // the first pair of each head turns
      make_positional_encoding<double>("rope(rotary_fraction=0.25)", shape, Scope(layout, "positional"));
  const Parameters<double> values(layout);
  Pass<double> pass(values);
  pass.begin({.positions = Positions::shared(1, {5.0})});
  rope->begin_run(pass);
  Tensor<double> q({1, width});
  for (double& value : q.span()) value = 1.0;
  Tensor<double> k = q;
  rope->encode_query_key(q.view(), k.view(), 0, pass);
  for (Index c = 0; c < width; ++c) EXPECT_EQ(q(0, c) != 1.0, c % d_head < 2) << c;
}

TEST(Rope, RefusesAnOddNumberOfDimensions) {
  ParameterLayout layout;
  EXPECT_THAT(
      [&] { make_positional_encoding<double>("rope(rotary_fraction=0.4)", shape, Scope(layout, "p")); },
      ThrowsMessage<ConfigError>(HasSubstr("3 of a head's 8 dimensions would be rotated")));
}

// A model with one pairing gives the logits of the other once the rows of W_Q and W_K are converted.
TEST(Rope, TrapThePairingsDifferByAPermutationOfTheWeights) {
  ModelConfig config;
  config.vocab_size = 9;
  config.d_model = width;
  config.heads = heads;
  config.layers = 1;
  const auto logits = [&](const std::string& pairing, bool convert) {
    config.encoding = "rope(rotary_fraction=0.5, pairing=" + pairing + ")";
    const Transformer<double> model(config);
    Parameters<double> values(model.layout());
    initialize(values, 1);
    for (double& value : values.flat()) value *= 20.0;
    if (convert) {
      const View<double> qkv = values["block.0.attention.qkv.weight"];
      convert_pairing(qkv.row_range(0, width), d_head, 2, Pairing::interleaved, Pairing::half);
      convert_pairing(qkv.row_range(width, width), d_head, 2, Pairing::interleaved, Pairing::half);
    }
    Pass<double> pass(values);
    pass.begin({.positions = Positions::contiguous(1, 6)});
    const std::vector<Token> tokens = {1, 4, 2, 8, 5, 7};
    const View<const double> z = model.logits(model.hidden(tokens, pass), pass);
    return std::vector<double>(z.data, z.data + z.size());
  };
  const std::vector<double> expected = logits("interleaved", false);
  const std::vector<double> converted = logits("half", true);
  const std::vector<double> unconverted = logits("half", false);
  double difference = 0.0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(converted[i], expected[i], 1e-12);
    difference = std::max(difference, std::abs(unconverted[i] - expected[i]));
  }
  EXPECT_GT(difference, 1e-3);
}

TEST(Rotary, TakesTheBaseOfItsOptions) {
  ParameterLayout layout;
  const Rotary<double> rotary(shape, resolved_options<RotaryOptions>("rope", {{"base", "500"}}, shape),
                              Scope(layout));
  EXPECT_EQ(rotary.frequencies({}), rotary_frequencies(d_head, 500.0, {}));
  EXPECT_EQ(rotary.pairs(), d_head / 2);
}

TEST(ConvertPairing, ThereAndBackIsTheSame) {
  Tensor<double> weight({width, 3});
  for (Index i = 0; i < weight.size(); ++i) weight.data()[i] = static_cast<double>(i);
  const Tensor<double> before = weight;
  convert_pairing(weight.view(), d_head, 3, Pairing::half, Pairing::interleaved);
  EXPECT_FALSE(std::ranges::equal(weight.span(), before.span()));
  convert_pairing(weight.view(), d_head, 3, Pairing::interleaved, Pairing::half);
  EXPECT_TRUE(std::ranges::equal(weight.span(), before.span()));
}

TEST(Stretching, ByOneChangesNothing) {
  for (const std::string name : {"rope", "xpos"}) {
    const std::vector<double> plain = scores<double>(name, 9, 4);
    for (const Stretch::Kind kind : {Stretch::Kind::ntk, Stretch::Kind::yarn, Stretch::Kind::longrope}) {
      EXPECT_EQ(scores<double>(name, 9, 4, {kind, 1.0}), plain);
    }
  }
}

TEST(Ntk, KeepsTheFastestPairAndSlowsTheSlowestByTheFactor) {
  const std::vector<double> plain = rotary_frequencies(8, 10000.0, {});
  const std::vector<double> slowed = rotary_frequencies(8, 10000.0, {Stretch::Kind::ntk, 4.0});
  EXPECT_DOUBLE_EQ(slowed.front(), plain.front());
  EXPECT_NEAR(plain.back() / slowed.back(), 4.0, 1e-12);
  EXPECT_GT(slowed[1], plain[1] / 4.0);
}

// The stretch of sequences `factor` times as long as the training length.
Stretch longrope(const std::string& options, double factor) {
  PositionScheme scheme = make_position_scheme("longrope" + options);
  scheme.scale = factor;
  scheme.resolve(64, 0);
  return make_positions(scheme, 1, 1).stretch();
}

TEST(Longrope, WithoutFactorsIsNtk) {
  const std::vector<double> ntk = rotary_frequencies(8, 10000.0, {Stretch::Kind::ntk, 4.0});
  const std::vector<double> slowed = rotary_frequencies(8, 10000.0, longrope("", 4.0));
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(slowed[i] / ntk[i], 1.0, 1e-12) << i;
}

TEST(Longrope, DividesTheFrequencyOfEachPairByItsFactor) {
  const std::vector<double> plain = rotary_frequencies(8, 10000.0, {});
  const std::vector<double> slowed =
      rotary_frequencies(8, 10000.0, longrope("(longrope_factors=1 1.25 3 8)", 4.0));
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

TEST(Longrope, RefusesFactorsThatAreNone) {
  EXPECT_THAT(
      [] { longrope("(longrope_factors=2)", 4.0); },
      ThrowsMessage<ConfigError>(HasSubstr("got one factor in longrope_factors, expected two or more")));
  for (const char* wrong : {"1 x", "1 0.5", "1  2", "1 nan"}) {
    EXPECT_THAT([&] { longrope(std::string("(longrope_factors=") + wrong + ")", 4.0); },
                ThrowsMessage<ConfigError>(HasSubstr("expected numbers of at least 1")))
        << wrong;
  }
}

// The stretch of sequences `factor` times as long as the training length.
Stretch yarn(Index train_length, double factor, double alpha = 1.0) {
  PositionScheme scheme{.kind = PositionScheme::Kind::yarn, .scale = factor, .yarn_alpha = alpha};
  scheme.resolve(train_length, 0);
  return make_positions(scheme, 1, 1).stretch();
}

TEST(Yarn, LeavesFastPairsSlowsSlowOnesAndRampsBetween) {
  const Stretch stretch = yarn(4096, 16.0);  // the paper's: α = 1, β = 32
  const std::vector<double> plain = rotary_frequencies(128, 10000.0, {});
  const std::vector<double> slowed = rotary_frequencies(128, 10000.0, stretch);
  EXPECT_DOUBLE_EQ(stretch.alpha, 1.0);
  EXPECT_DOUBLE_EQ(stretch.beta, 32.0);
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
  const Stretch stretch = yarn(64, 4.0);  // L = 64: the fastest pair turns 10 times
  EXPECT_NEAR(stretch.beta, 64.0 / (4.0 * std::numbers::pi), 1e-12);
  EXPECT_DOUBLE_EQ(rotary_frequencies(8, 10000.0, stretch).front(), 1.0);
}

TEST(Yarn, TheAutomaticBetaIsAboveAlpha) {
  for (const double alpha : {1.0, 31.5, 40.0}) EXPECT_GE(yarn(64, 2.0, alpha).beta, alpha + 1.0);
}

TEST(Yarn, RefusesAnAlphaThatIsNotBelowBeta) {
  PositionScheme scheme = make_position_scheme("yarn(yarn_alpha=8, yarn_beta=8)");
  EXPECT_THAT([&] { scheme.resolve(64, 256); },
              ThrowsMessage<ConfigError>("yarn: yarn_alpha = 8 is not below yarn_beta = 8"));
}

// α and β of the scheme reach the model, and other ones give other scores.
TEST(Yarn, OptionsOfTheSchemeReachTheScores) {
  const auto stretch = [](const std::string& text) {
    PositionScheme scheme = make_position_scheme(text);
    scheme.resolve(64, 256);
    return make_positions(scheme, 1, 256).stretch();
  };
  EXPECT_EQ(scores<double>("rope", 9, 4, stretch("yarn")), scores<double>("rope", 9, 4, yarn(64, 4.0)));
  EXPECT_NE(scores<double>("rope", 9, 4, stretch("yarn(yarn_beta=40)")),
            scores<double>("rope", 9, 4, stretch("yarn")));
  EXPECT_NE(scores<double>("rope", 9, 4, stretch("yarn(yarn_alpha=4)")),
            scores<double>("rope", 9, 4, stretch("yarn")));
}

TEST(Yarn, ScalesScoresByTheSquareOfItsTemperature) {
  const double magnitude = 0.1 * std::log(4.0) + 1.0;
  const std::vector<double> at_zero = scores<double>("rope", 0, 0);
  const std::vector<double> stretched = scores<double>("rope", 0, 0, yarn(64, 4.0));
  for (std::size_t h = 0; h < at_zero.size(); ++h) {
    EXPECT_NEAR(stretched[h], at_zero[h] * magnitude * magnitude, 1e-12);
  }
}

// Decoding token by token at position 0 each time gives other logits than the whole text does.
TEST(Rope, TrapTheOffsetMustNotBeForgottenWithACache) {
  ModelConfig config;
  config.vocab_size = 5;
  config.d_model = width;
  config.heads = heads;
  config.encoding = "rope";
  const Transformer<double> model(config);
  Parameters<double> values(model.layout());
  Random random({.seed = 3});
  for (double& value : values.flat()) value = random.normal();
  const std::vector<Token> text = {1, 4, 2, 3};
  const auto last_logit = [&](const std::vector<Positions>& runs, DecodeCache<double>* cache) {
    Pass<double> pass(values);
    double logit = 0.0;
    std::size_t read = 0;
    for (const Positions& positions : runs) {
      const auto count = static_cast<std::size_t>(positions.seq_len());
      pass.begin({.positions = positions, .cache = cache});
      const View<const double> hidden = model.hidden(std::span(text).subspan(read, count), pass);
      logit = model.logits(hidden, pass)(hidden.rows - 1, 0);
      read += count;
    }
    return logit;
  };
  DecodeCache<double> right(model.layout(), 1, 4);
  DecodeCache<double> wrong(model.layout(), 1, 4);
  const double whole = last_logit({Positions::contiguous(1, 4)}, nullptr);
  const Positions start = Positions::contiguous(1, 3);
  EXPECT_NEAR(last_logit({start, Positions::contiguous(1, 1, 3.0)}, &right), whole, 1e-12);
  EXPECT_GT(std::abs(last_logit({start, Positions::contiguous(1, 1)}, &wrong) - whole), 1e-3);
}

TEST(Xpos, WithoutFadingIsRope) {
  expect_near(scores<double>("xpos(xpos_gamma=1e15)", 40, 3),  // ζ = 1
              scores<double>("rope", 40, 3), 1e-12);
}

TEST(Xpos, FadesAPairOfDimensionsByZetaToTheDistance) {
  ParameterLayout layout;
  const auto xpos =
      make_positional_encoding<double>("xpos(xpos_scale=10)", shape, Scope(layout, "positional"));
  const Parameters<double> values(layout);
  Pass<double> pass(values);
  pass.begin({.positions = Positions::shared(1, {25.0, 5.0})});
  xpos->begin_run(pass);
  Tensor<double> q({2, width});
  Tensor<double> k({2, width});
  for (const Index row : {0, 1}) q(row, 4) = k(row, 4) = 1.0;  // pair 2 of the first head
  xpos->encode_query_key(q.view(), k.view(), 0, pass);
  const double zeta = (4.0 / 8.0 + 0.4) / 1.4;
  const double turn = 20.0 * std::pow(10000.0, -4.0 / 8.0);
  EXPECT_NEAR(vmath::dot(q.view().row(0), k.view().row(1), d_head), std::pow(zeta, 2.0) * std::cos(turn),
              1e-12);
}

TEST(Xpos, ACommonOffsetCostsNoRange) {
  expect_near(scores<float>("xpos", 1e6 + 30, 1e6 + 3), scores<float>("xpos", 30, 3), 1e-5);
}

TEST(Xpos, SaysWhenAPositionIsTooFar) {
  EXPECT_THAT([] { scores<float>("xpos", 5000, 0); },
              ThrowsMessage<PositionError>(HasSubstr("raise xpos_scale")));
}

// p-RoPE (Barbero et al. 2024) and HoPE (Chen et al. 2024).
TEST(TurningPairs, AreTheFastestAndThoseThatTurnInTraining) {
  const std::vector<double> frequencies = sinusoidal_frequencies(16, 10000.0);  // 1, 0.316, 0.1, 0.0316, …
  EXPECT_EQ((TurningPairs{}.count(frequencies)), 8);
  EXPECT_EQ((TurningPairs{.share = 0.75}.count(frequencies)), 6);
  EXPECT_EQ((TurningPairs{.share = 0.7}.count(frequencies)), 6);
  EXPECT_EQ((TurningPairs{.share = 0.0}.count(frequencies)), 0);
  EXPECT_EQ((TurningPairs{.least_turns = 1.0, .train_length = 64.0}.count(frequencies)),
            3);  // ω ≥ 2π/64 = 0.098
  EXPECT_EQ((TurningPairs{.share = 0.25, .least_turns = 1.0, .train_length = 64.0}.count(frequencies)), 2);
}

TEST(TurningPairs, TheOthersHaveFrequencyZeroAlsoWhenStretched) {
  ModelShape shape;
  shape.d_model = 16;
  shape.heads = 1;
  shape.n_kv_heads = 1;
  shape.train_length = 64;
  ParameterLayout layout;
  const auto rope = make_positional_encoding<double>("rope(turning=0.5)", shape, Scope(layout, "p"));
  for (const Stretch& stretch : {Stretch{}, Stretch{Stretch::Kind::ntk, 4.0}}) {
    std::vector<double> expected = rotary_frequencies(16, 10000.0, stretch);
    std::fill(expected.begin() + 4, expected.end(), 0.0);
    EXPECT_EQ(rope->frequencies(stretch), expected);
  }
}

}  // namespace
}  // namespace ordinal
