// The table that Shaw et al. 2018 add to values. Whole models against PyTorch are in tests/models/parity_test.cpp.
#include <gtest/gtest.h>

#include "framework/positional/positional_encoding.h"

namespace ordinal {
namespace {

const ModelShape shape{.d_model = 4, .heads = 2, .n_kv_heads = 2, .layers = 1};

// What is added to the output of one head whose query i gives the weights of row i.
Tensor<double> added(const std::string& text, const Tensor<double>& weights) {
  ParameterLayout layout;
  const auto shaw = make_positional_encoding<double>(text, shape, Scope(layout, "positional"));
  Parameters<double> values(layout);
  for (const ParameterSpec& spec : layout.specs()) {
    for (Index r = 0; r < spec.slot.rows; ++r) {
      for (Index c = 0; c < spec.slot.cols; ++c) values[spec.slot](r, c) = static_cast<double>(10 * r + c);
    }
  }
  const Index length = weights.view().rows;
  Pass<double> pass(values);
  pass.begin({.positions = Positions::contiguous(1, length)});
  const Tensor<double> q({length, 2});
  const auto positions = pass.run().positions.of(0);
  Tensor<double> out({length, 2});
  shaw->encode_values(
      {.query = q.view(), .key = q.view(), .query_positions = positions, .key_positions = positions},
      weights.view(), out.view(), pass);
  return out;
}

// Query 3 gives 1/4 to keys at distances 3 (clipped to 2), 2, 1 and 0: rows 0, 0, 1 and 2 of five.
TEST(Shaw, AQueryReadsTheVectorsOfTheDistancesThatItAttendsTo) {
  Tensor<double> weights({4, 4});
  for (Index j = 0; j < 4; ++j) weights(3, j) = 0.25;
  const Tensor<double> out = added("shaw(max_distance=2, value_table=true)", weights);
  EXPECT_DOUBLE_EQ(out(3, 0), 0.25 * (0 + 0 + 10 + 20));
  EXPECT_DOUBLE_EQ(out(3, 1), 0.25 * (1 + 1 + 11 + 21));
  EXPECT_EQ(out(2, 0), 0.0);
}

TEST(Shaw, HasNoTableForValuesUnlessAsked) {
  Tensor<double> weights({2, 2});
  weights(1, 0) = 1.0;
  const Tensor<double> out = added("shaw(max_distance=2)", weights);
  for (const double value : out.span()) EXPECT_EQ(value, 0.0);
}

}  // namespace
}  // namespace ordinal
