// RoPE and xPos: known pitfalls of real projects. Whole models against PyTorch are in
// tests/experiments/training/parity_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "framework/positional/rotary.h"
#include "tests/framework/largest_difference.h"
#include "tests/framework/positional/rotary_scores.h"
#include "tests/message_of.h"
#include "tests/models/model_rig.h"

namespace ordinal {
namespace {

using ::testing::HasSubstr;

using rotary_test::d_head;
using rotary_test::heads;
using rotary_test::scores;
using rotary_test::shape;
using rotary_test::width;
using testing::largest_difference;
using testing::Rig;

TEST(Rope, TrapAnglesInFloatWouldBeOffAtPosition65536) {
  EXPECT_LT(largest_difference(scores<float>("rope", 65536 + 5, 65536), scores<double>("rope", 5, 0)), 1e-5);
}

TEST(Rope, TrapWithoutBeginRunTheHookSaysSo) {
  for (const std::string name : {"rope", "xpos", "transformer_xl"}) {
    Rig<> rig(name, shape);
    Tensor<double> q({2, width});
    Tensor<double> k({2, width});
    const auto hook = [&] {
      rig.query_key(q, k);
      rig.scores();
    };
    rig.over(2);
    EXPECT_NO_THROW(hook());
    rig.pass().begin({.positions = Positions::contiguous(1, 2)});  // another run
    EXPECT_THAT(message_of<std::logic_error>(hook), HasSubstr("begin_run()")) << name;
  }
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

// Row 2i + e of the four rotated ones of a head is row i + 2e with the other pairing.
void to_halves(View<double> weight) {
  for (Index head = 0; head < weight.rows; head += d_head)
    std::swap_ranges(weight.row(head + 1), weight.row(head + 2), weight.row(head + 2));
}

// A model with one pairing gives the logits of the other once the rows of W_Q and W_K are converted.
TEST(Rope, TrapThePairingsDifferByAPermutationOfTheWeights) {
  const auto logits = [](const std::string& pairing, bool convert) {
    testing::ModelRig<> rig({.vocab_size = 9,
                             .d_model = width,
                             .layers = 1,
                             .heads = heads,
                             .bias = false,
                             .encoding = "rope(rotary_fraction=0.5, pairing=" + pairing + ")"});
    if (convert) to_halves(rig.values["block.0.attention.qkv.weight"].row_range(0, 2 * width));
    return rig.logits(std::vector<Token>{1, 4, 2, 8, 5, 7});
  };
  const std::vector<double> expected = logits("interleaved", false);
  EXPECT_LT(largest_difference(logits("half", true), expected), 1e-12);
  EXPECT_GT(largest_difference(logits("half", false), expected), 1e-3);
}

TEST(Xpos, ACommonOffsetCostsNoRange) {
  EXPECT_LT(largest_difference(scores<float>("xpos", 1e6 + 30, 1e6 + 3), scores<float>("xpos", 30, 3)), 1e-5);
}

}  // namespace
}  // namespace ordinal
