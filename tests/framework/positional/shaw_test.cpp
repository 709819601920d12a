// The table that Shaw et al. 2018 add to values. Whole models against PyTorch are in tests/experiments/training/parity_test.cpp.
#include <gtest/gtest.h>

#include "tests/framework/positional/rig.h"

namespace ordinal {
namespace {

// What is added to the output of one head whose last of four queries gives 1/4 to each key; row r of a table holds 10 r, 10 r + 1.
Tensor<double> added(const std::string& text) {
  testing::Rig<> shaw(text, {.d_model = 4, .heads = 2, .n_kv_heads = 2, .layers = 1});
  for (const ParameterSpec& spec : shaw.layout().specs()) {
    for (Index r = 0; r < spec.slot.rows; ++r) {
      for (Index c = 0; c < spec.slot.cols; ++c)
        shaw.values()[spec.slot](r, c) = static_cast<double>(10 * r + c);
    }
  }
  return shaw.over(4).output([](Index i, Index /*j*/) { return i == 3 ? 0.25 : 0.0; });
}

// Keys at distances 3 (clipped to 2), 2, 1 and 0: rows 0, 0, 1 and 2 of five.
TEST(Shaw, AQueryReadsTheVectorsOfTheDistancesThatItAttendsTo) {
  const Tensor<double> out = added("shaw(max_distance=2, value_table=true)");
  EXPECT_DOUBLE_EQ(out(3, 0), 0.25 * (0 + 0 + 10 + 20));
  EXPECT_DOUBLE_EQ(out(3, 1), 0.25 * (1 + 1 + 11 + 21));
  EXPECT_EQ(out(2, 0), 0.0);
}

TEST(Shaw, HasNoTableForValuesUnlessAsked) {
  const Tensor<double> out = added("shaw(max_distance=2)");
  for (const double value : out.span()) EXPECT_EQ(value, 0.0);
}

}  // namespace
}  // namespace ordinal
