// Scalable softmax: the factor of each query, and what Nakanishi 2025 uses it for. Gradients and the cache are in
// tests/models/every_model_test.cpp, whole models against PyTorch in tests/experiments/training/parity_test.cpp.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/framework/positional/rig.h"

namespace ordinal {
namespace {

// The factors of the queries of one head.
std::vector<double> factors(const std::string& text, Index length, const ModelShape& shape,
                            Index window = 0) {
  testing::Rig<> ssmax(text, shape);
  ssmax.over(length).window = window;
  Tensor<double> query = testing::ones({length, shape.d_model});
  Tensor<double> key = query;
  ssmax.query_key(query, key);
  std::vector<double> first;
  for (Index t = 0; t < length; ++t) first.push_back(query(t, 0));
  return first;
}

const ModelShape small{.d_model = 4, .heads = 1, .n_kv_heads = 1, .train_length = 16};

TEST(Ssmax, AQueryThatSeesNKeysIsMultipliedBySLnN) {
  const std::vector<double> s_ln_n = factors("ssmax(ssmax_scale=0.43)", 20, small);
  for (std::size_t t = 0; t < 20; ++t)
    EXPECT_DOUBLE_EQ(s_ln_n[t], 0.43 * std::log(static_cast<double>(t + 1)));
}

TEST(Ssmax, InAnEncoderEveryQuerySeesAllKeysAndInAWindowNoMoreThanThat) {
  ModelShape encoder = small;
  encoder.causal = false;
  for (const double factor : factors("ssmax(ssmax_scale=2)", 7, encoder))
    EXPECT_DOUBLE_EQ(factor, 2.0 * std::log(7.0));
  const std::vector<double> windowed = factors("ssmax(ssmax_scale=2)", 7, small, 3);
  EXPECT_DOUBLE_EQ(windowed[1], 2.0 * std::log(2.0));
  EXPECT_DOUBLE_EQ(windowed[6], 2.0 * std::log(3.0));
}

TEST(Ssmax, StartsWithAMeanFactorOfOneOverTheTrainingLength) {
  double total = 0.0;
  for (const double factor : factors("ssmax", 16, small)) total += factor;
  EXPECT_NEAR(total / 16.0, 1.0, 1e-12);
}

TEST(Ssmax, FixedHasAFactorOfOneAtTheTrainingLength) {
  EXPECT_NEAR(factors("ssmax(ssmax_learned=false)", 16, small).back(), 1.0, 1e-12);
}

}  // namespace
}  // namespace ordinal
