// TUPE: what is untied, and what happens past the table. Whole models against PyTorch are in tests/experiments/training/parity_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "framework/core/errors.h"
#include "tests/framework/positional/rig.h"

namespace ordinal {
namespace {

const ModelShape tupe_shape{
    .d_model = 8, .heads = 2, .n_kv_heads = 2, .causal = false, .train_length = 12, .positions = 12};

// What is added to the scores of a layer.
Tensor<double> scores(const std::string& text, Index length, Index layer = 0) {
  testing::Rig<> tupe(text, tupe_shape);
  tupe.randomize(3);
  return tupe.over(length).scores({.layer = layer});
}

TEST(Tupe, TheTermOfPositionsIsTheSameInEveryLayer) {
  const Tensor<double> first = scores("tupe", 12);
  EXPECT_TRUE(std::ranges::equal(first.span(), scores("tupe", 12, 1).span()));
  EXPECT_NE(first(3, 5), first(4, 6)) << "and no function of the distance";
}

TEST(Tupe, PastItsTableDoesWhatTheEmbeddingDoes) {
  EXPECT_THROW(scores("tupe", 13), PositionError);
  const Tensor<double> clamped = scores("tupe(embedding=learned(overflow=clamp))", 14);
  for (Index i = 0; i < 14; ++i) EXPECT_EQ(clamped(i, 13), clamped(i, 11));
  EXPECT_NO_THROW(scores("tupe(embedding=sinusoidal)", 40));
  EXPECT_TRUE(testing::Rig<>("tupe", tupe_shape)->keeps_prefixes());
  EXPECT_FALSE(testing::Rig<>("tupe(embedding=learned(overflow=interpolate))", tupe_shape)->keeps_prefixes());
}

}  // namespace
}  // namespace ordinal
