#include "framework/core/parameters.h"
#include "tests/message_of.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <utility>

namespace ordinal {
namespace {

using ::testing::HasSubstr;

TEST(Scope, NestsIntoDottedNames) {
  ParameterLayout layout;
  Scope(layout, "block").nested("0").nested("attention").add("weight", {2, 3}, zeros());
  Scope(layout).add("scale", {4}, ones());
  EXPECT_EQ(layout.specs()[0].name, "block.0.attention.weight");
  EXPECT_EQ(layout.specs()[1].name, "scale");
  EXPECT_EQ(layout.count(), 10);
}

TEST(ParameterLayout, EveryParameterIsAligned) {
  ParameterLayout layout;
  layout.add("a", {3}, zeros());
  layout.add("b", {5, 7}, zeros());
  layout.add("c", {1}, zeros());
  const Parameters<float> values(layout);
  for (const ParameterSpec& spec : layout.specs()) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(values[spec.slot].data) % 64, 0U) << spec.name;
  }
}

TEST(ParameterLayout, WhatIsDeclaredAsAWeightDecaysWhateverItsRank) {
  ParameterLayout layout;
  Scope(layout).add_weight("matrix", {2, 2}, zeros());
  Scope(layout).add_weight("vector", {2}, zeros());
  Scope(layout).add("table", {2, 2}, zeros());
  Scope(layout).add("bias", {2}, zeros());
  EXPECT_TRUE(layout.find("matrix").use.decay);
  EXPECT_TRUE(layout.find("vector").use.decay);
  EXPECT_FALSE(layout.find("table").use.decay);
  EXPECT_FALSE(layout.find("bias").use.decay);
}

TEST(ParameterLayout, KnowsTheMatricesBetweenHiddenLayers) {
  ParameterLayout layout;
  Scope(layout).add_matrix("qkv", {4, 2, 2}, 4, zeros());
  Scope(layout).add_weight("embedding", {5, 4}, zeros());
  EXPECT_EQ(layout.find("qkv").shape, (Shape{8, 4}));
  EXPECT_TRUE(layout.find("qkv").use.decay);
  EXPECT_EQ(layout.find("qkv").use.matrices, (std::vector<Index>{4, 2, 2}));
  EXPECT_TRUE(layout.find("embedding").use.matrices.empty());
}

TEST(Parameters, DeclaredAfterTheBlockWasMadeAreReported) {
  ParameterLayout layout;
  const Slot early = layout.add("early", {40}, zeros());
  Parameters<float> values(layout);
  const Slot late = layout.add("late", {3, 5}, zeros());
  EXPECT_NO_THROW(values[early]);
  EXPECT_THAT(message_of<std::logic_error>([&] { values[late]; }),
              HasSubstr("ends at element 63, expected one of the 48 declared"));
  EXPECT_THROW(values["late"], std::logic_error);
  EXPECT_THROW(std::as_const(values)[late], std::logic_error);
  EXPECT_THROW(initialize(values, 1), std::logic_error);
}

TEST(ParameterLayout, RefusesTakenNamesAndOtherRanks) {
  ParameterLayout layout;
  layout.add("a", {2}, zeros());
  EXPECT_THAT(message_of<std::invalid_argument>([&] { layout.add("a", {3}, zeros()); }),
              HasSubstr("parameter a: the name is taken"));
  EXPECT_THAT(message_of<std::invalid_argument>([&] {
                layout.add("b", {2, 3, 4}, zeros());
              }),
              HasSubstr("got shape (2, 3, 4), expected rank 1 or 2"));
  EXPECT_THROW(layout.find("nothing"), std::out_of_range);
}

TEST(Initialize, FollowsTheInitialisers) {
  ParameterLayout layout;
  layout.add("normal", {200, 200}, normal(0.02));
  layout.add("uniform", {200, 200}, uniform(0.5));
  layout.add("ones", {7}, ones());
  Parameters<double> values(layout);
  initialize(values, 1);
  double mean = 0.0;
  double square = 0.0;
  double widest = 0.0;
  for (Index i = 0; i < 40'000; ++i) {
    const double z = values["normal"].data[i];
    mean += z / 40'000.0;
    square += z * z / 40'000.0;
    widest = std::max(widest, std::abs(values["uniform"].data[i]));
  }
  EXPECT_NEAR(mean, 0.0, 5.0 * 0.02 / 200.0);
  EXPECT_NEAR(std::sqrt(square), 0.02, 0.0005);
  EXPECT_LE(widest, 0.5);
  EXPECT_GT(widest, 0.49);
  for (Index i = 0; i < 7; ++i) EXPECT_EQ(values["ones"].data[i], 1.0);
}

TEST(Initialize, WhatModelsShareStartsTheSameWhateverElseTheyHold) {
  ParameterLayout small;
  small.add("shared", {8, 8}, normal(1.0));
  ParameterLayout large;
  large.add("first", {3, 3}, normal(1.0));
  large.add("shared", {8, 8}, normal(1.0));
  Parameters<float> a(small);
  Parameters<float> b(large);
  initialize(a, 9);
  initialize(b, 9);
  for (Index i = 0; i < 64; ++i) EXPECT_EQ(a["shared"].data[i], b["shared"].data[i]);
}

TEST(ParameterRanges, CoverEveryElementOnceAndNothingElse) {
  ParameterLayout layout;
  layout.add("a", {300, 300}, zeros());
  layout.add("b", {5}, zeros());
  Parameters<float> hits(layout);
  for (const ParameterRange& range : parameter_ranges(layout)) {
    EXPECT_LE(range.count, 16384);
    for (Index i = 0; i < range.count; ++i) hits.flat()[static_cast<std::size_t>(range.first + i)] += 1.0F;
  }
  double total = 0.0;
  for (const float hit : hits.flat()) total += static_cast<double>(hit);
  EXPECT_EQ(total, 90'005.0);
  for (Index i = 0; i < 90'000; ++i) ASSERT_EQ(hits["a"].data[i], 1.0F);
}

}  // namespace
}  // namespace ordinal
