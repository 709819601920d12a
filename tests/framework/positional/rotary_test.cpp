// RoPE and xPos, with known pitfalls of real projects.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "framework/core/decode_cache.h"
#include "framework/core/errors.h"
#include "framework/math/vector_math.h"
#include "framework/positional/rotary.h"
#include "tests/framework/largest_difference.h"
#include "tests/framework/positional/rotary_scores.h"
#include "tests/models/model_rig.h"

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
using testing::largest_difference;
using testing::Rig;

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
  for (const std::string name : {"rope", "xpos", "transformer_xl"}) {
    Rig<> rig(name, shape);
    Tensor<double> q({2, width});
    Tensor<double> k({2, width});
    const auto hook = [&] {
      if (name == "transformer_xl") {
        rig.scores();
      } else {
        rig.query_key(q, k);
      }
    };
    rig.over(2);
    EXPECT_NO_THROW(hook());
    rig.pass().begin({.positions = Positions::contiguous(1, 2)});  // another run
    EXPECT_THAT(hook, ThrowsMessage<std::logic_error>(HasSubstr("begin_run()"))) << name;
  }
}

TEST(Rope, TrapEachHeadIsRotatedByTheSameAnglesNotAcrossTheModel) {
  Tensor<double> q({1, width});
  Tensor<double> k({1, width});
  for (Index c = 0; c < width; ++c) q(0, c) = static_cast<double>(c % d_head);
  Rig<>("rope", shape).at({3.0}).query_key(q, k);
  for (Index c = 0; c < d_head; ++c) EXPECT_DOUBLE_EQ(q(0, c), q(0, d_head + c));
}

TEST(Rope, AtPositionZeroNothingTurnsAndNormsStay) {
  Tensor<double> q({2, width});
  for (Index i = 0; i < q.size(); ++i) q.data()[i] = 1.0 + static_cast<double>(i % width);
  const Tensor<double> before = q;
  Tensor<double> k = q;
  Rig<>("rope", shape).at({0.0, 12.25}).query_key(q, k);
  for (Index c = 0; c < width; ++c) EXPECT_EQ(q(0, c), before(0, c));
  for (Index c = 0; c < width; c += 2) {
    EXPECT_NEAR(std::hypot(q(1, c), q(1, c + 1)), std::hypot(before(1, c), before(1, c + 1)), 1e-12);
    EXPECT_NE(q(1, c), before(1, c));
  }
}

TEST(Rope, PartOfAHeadMayStay) {
  Tensor<double> q = testing::ones({1, width});
  Tensor<double> k = q;
  Rig<>("rope(rotary_fraction=0.25)", shape).at({5.0}).query_key(q, k);  // the first pair of each head turns
  for (Index c = 0; c < width; ++c) EXPECT_EQ(q(0, c) != 1.0, c % d_head < 2) << c;
}

ModelConfig model_with(const std::string& encoding) {
  ModelConfig config;
  config.vocab_size = 9;
  config.d_model = width;
  config.heads = heads;
  config.layers = 1;
  config.bias = false;
  config.encoding = encoding;
  return config;
}

// Row 2i + e of the four rotated ones of a head is row i + 2e with the other pairing.
void to_halves(View<double> weight) {
  for (Index head = 0; head < weight.rows; head += d_head)
    std::swap_ranges(weight.row(head + 1), weight.row(head + 2), weight.row(head + 2));
}

// A model with one pairing gives the logits of the other once the rows of W_Q and W_K are converted.
TEST(Rope, TrapThePairingsDifferByAPermutationOfTheWeights) {
  const auto logits = [&](const std::string& pairing, bool convert) {
    testing::ModelRig<> rig(model_with("rope(rotary_fraction=0.5, pairing=" + pairing + ")"));
    if (convert) to_halves(rig.values["block.0.attention.qkv.weight"].row_range(0, 2 * width));
    return rig.logits(std::vector<Token>{1, 4, 2, 8, 5, 7});
  };
  const std::vector<double> expected = logits("interleaved", false);
  EXPECT_LT(largest_difference(logits("half", true), expected), 1e-12);
  EXPECT_GT(largest_difference(logits("half", false), expected), 1e-3);
}

TEST(Rotary, TakesTheBaseOfItsOptions) {
  ParameterLayout layout;
  const Rotary<double> rotary(shape, resolved_options<RotaryOptions>("rope", {{"base", "500"}}, shape),
                              Scope(layout));
  EXPECT_EQ(rotary.frequencies({}), rotary_frequencies(d_head, 500.0, {}));
  EXPECT_EQ(rotary.pairs(), d_head / 2);
}

// Decoding token by token at position 0 each time gives other logits than the whole text does.
TEST(Rope, TrapTheOffsetMustNotBeForgottenWithACache) {
  const testing::ModelRig<> rig(model_with("rope"));
  const std::vector<Token> text = {1, 4, 2, 3};
  std::vector<double> last = rig.logits(text);
  last.erase(last.begin(), last.end() - 9);
  const auto last_in_steps = [&](double offset) {
    DecodeCache<double> cache(rig.model.layout(), 1, 4);
    rig.logits(std::span(text).first(3), {.positions = Positions::contiguous(1, 3), .cache = &cache});
    return rig.logits(std::span(text).last(1),
                      {.positions = Positions::contiguous(1, 1, offset), .cache = &cache});
  };
  EXPECT_LT(largest_difference(last_in_steps(3.0), last), 1e-12);
  EXPECT_GT(largest_difference(last_in_steps(0.0), last), 1e-3);
}

TEST(Xpos, WithoutFadingIsRope) {
  expect_near(scores<double>("xpos(xpos_gamma=1e15)", 40, 3),  // ζ = 1
              scores<double>("rope", 40, 3), 1e-12);
}

TEST(Xpos, FadesAPairOfDimensionsByZetaToTheDistance) {
  Tensor<double> q({2, width});
  Tensor<double> k({2, width});
  q(0, 4) = k(1, 4) = 1.0;  // pair 2 of the first head
  Rig<>("xpos(xpos_scale=10)", shape).at({25.0, 5.0}).query_key(q, k);
  const double zeta = (4.0 / 8.0 + 0.4) / 1.4;
  const double turn = 20.0 * std::pow(10000.0, -4.0 / 8.0);
  EXPECT_NEAR(vmath::dot(q.view().row(0), k.view().row(1), d_head), std::pow(zeta, 2.0) * std::cos(turn),
              1e-12);
}

TEST(Xpos, ACommonOffsetCostsNoRange) {
  expect_near(scores<float>("xpos", 1e6 + 30, 1e6 + 3), scores<float>("xpos", 30, 3), 1e-5);
}

}  // namespace
}  // namespace ordinal
