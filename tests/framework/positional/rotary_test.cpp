// RoPE and xPos, with known pitfalls of real projects.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "framework/core/decode_cache.h"
#include "framework/core/errors.h"
#include "framework/core/vector_math.h"
#include "framework/positional/rotary.h"
#include "models/transformer.h"
#include "tests/framework/positional/rotary_scores.h"

namespace ordinal {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

using rotary_test::d_head;
using rotary_test::expect_near;
using rotary_test::heads;
using rotary_test::scores;
using rotary_test::shape;
using rotary_test::width;

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

}  // namespace
}  // namespace ordinal
