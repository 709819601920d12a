// self_extend: far keys share the distances of training, whichever encoding scores them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "framework/core/errors.h"
#include "framework/positional/position_scheme.h"
#include "framework/positional/sinusoid_table.h"
#include "tests/framework/positional/rig.h"
#include "tests/message_of.h"

namespace ordinal {
namespace {

using ::testing::HasSubstr;

constexpr Index trained = 8;
constexpr Index tested = 21;

PositionScheme scheme_of(const std::string& text) {
  PositionScheme scheme = make_position_scheme(text);
  scheme.resolve(trained, tested);
  return scheme;
}

// Jin et al. 2024, with whole numbers.
Index distance(Index i, Index j, Index near, Index group) {
  return i - j < near ? i - j : near - near / group + i / group - j / group;
}

TEST(SelfExtend, GroupsAreTheSmallestThatKeepAllDistancesOfTraining) {
  const FarDistances far = stretch_at(scheme_of("self_extend"), tested).far;
  EXPECT_EQ(far.near, 4.0);
  EXPECT_EQ(far.group, 6.0);
  for (Index i = 0; i < tested; ++i)
    for (Index j = 0; j <= i; ++j) {
      EXPECT_EQ(far.distance(static_cast<double>(i), static_cast<double>(j)), distance(i, j, 4, 6));
      EXPECT_LT(distance(i, j, 4, 6), trained);
    }
  EXPECT_EQ(distance(20, 0, 4, 5), trained) << "of a smaller group";
  const FarDistances clamped = stretch_at(scheme_of("self_extend(clamped=true,near=3)"), tested).far;
  EXPECT_EQ(clamped.distance(20.0, 1.0), 3.0);
  EXPECT_EQ(clamped.distance(20.0, 18.0), 2.0);
  EXPECT_FALSE(stretch_at(scheme_of("self_extend"), trained).far.contains(1e9))
      << "nothing is far in training";
}

// The scores of one head, whatever an encoding does to them.
Tensor<double> scores_of(const std::string& encoding, const Tensor<double>& query,
                         const Tensor<double>& key) {
  testing::Rig<> rig(encoding, {.d_model = 6, .heads = 1, .n_kv_heads = 1, .layers = 1});
  rig.randomize(5);
  rig.run({.positions = make_positions(scheme_of("self_extend(near=3,group=4)"), 1, tested)});
  rig.query = query;
  rig.key = key;
  rig.query_key(rig.query, rig.key);
  Tensor<double> scores = rig.scores({});
  for (Index i = 0; i < tested; ++i)
    for (Index j = 0; j <= i; ++j)
      for (Index c = 0; c < 6; ++c) scores(i, j) += rig.query(i, c) * rig.key(j, c);
  return scores;
}

TEST(SelfExtend, TurnsQueriesToFarKeysByTheirDistance) {
  const Tensor<double> query = testing::normal_tensor({tested, 6}, 1);
  const Tensor<double> key = testing::normal_tensor({tested, 6}, 2);
  const Tensor<double> scores = scores_of("rope", query, key);
  const std::vector<double> frequencies = sinusoidal_frequencies(6);
  for (Index i = 0; i < tested; ++i)
    for (Index j = 0; j <= i; ++j) {
      double expected = 0.0;
      for (Index pair = 0; pair < 3; ++pair) {
        const double angle =
            static_cast<double>(distance(i, j, 3, 4)) * frequencies[static_cast<std::size_t>(pair)];
        const double a = query(i, 2 * pair);
        const double b = query(i, 2 * pair + 1);
        expected += (a * std::cos(angle) - b * std::sin(angle)) * key(j, 2 * pair) +
                    (a * std::sin(angle) + b * std::cos(angle)) * key(j, 2 * pair + 1);
      }
      EXPECT_NEAR(scores(i, j), expected, 1e-12) << i << " " << j;
    }
}

TEST(SelfExtend, GivesFarKeysTheBiasOfTheirDistance) {
  const Tensor<double> zeros({tested, 6});
  const Tensor<double> scores = scores_of("alibi", zeros, zeros);
  for (Index i = 0; i < tested; ++i)
    for (Index j = 0; j <= i; ++j)
      EXPECT_NEAR(scores(i, j), -static_cast<double>(distance(i, j, 3, 4)) / 256.0, 1e-15) << i << " " << j;
}

TEST(SelfExtend, IsForEncodingsOfDistances) {
  for (const std::string wrong : {"sinusoidal", "rope+learned", "transformer_xl"})
    EXPECT_THAT(message_of<ConfigError>([&] { check_positions(wrong, scheme_of("self_extend")); }),
                HasSubstr("changes far distances, which "))
        << wrong;
  EXPECT_NO_THROW(check_positions("rope+forgetting", scheme_of("self_extend")));
  EXPECT_THAT(message_of<ConfigError>([] { scheme_of("self_extend(near=8)"); }),
              HasSubstr("near = 8 is not below the training length, 8"));
}

}  // namespace
}  // namespace ordinal
