// What the whole score of a query and a key depends on, for every encoding of the registry.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "experiments/encoding/analysis.h"
#include "experiments/encoding/effect.h"
#include "framework/attention/head_attention.h"
#include "framework/core/random.h"
#include "tests/framework/attention/attention_map.h"
#include "tests/framework/largest_difference.h"

namespace ordinal::experiments {
namespace {

using ordinal::testing::largest_difference;

constexpr Index tokens = 12;
constexpr Index furthest = 64;  // positions lie below it

ModelShape shape_with(bool causal) {
  return {.d_model = 16,
          .heads = 4,
          .n_kv_heads = 2,
          .layers = 2,
          .causal = causal,
          .train_length = 8,
          .positions = furthest};
}

// In the second layer of a model.
class Encoded {
 public:
  explicit Encoded(const std::string& name, bool causal = true) : built_(name, shape_with(causal), 3) {}

  const ModelShape& shape() const { return built_.shape; }
  Effect at(double offset) const { return {built_, Positions::contiguous(1, tokens, offset), 1}; }
  // Of different queries and keys at each position.
  Tensor<double> random_scores(double offset) const {
    return at(offset).scores(random_content(shape(), tokens, 5));
  }
  // Of one token that is repeated.
  Tensor<double> probe_scores(double offset = 0.0) const {
    return at(offset).scores(ScoreProbe(shape(), 5).content(at(offset)));
  }
  ScoreStatistics statistics() const {
    return score_statistics(probe_scores().view(), at(0.0).positions.of(0), shape().causal);
  }

 private:
  BuiltEncoding built_;
};

// Whether a model of an encoding may be causal.
std::vector<bool> directions(const std::string& encoding) {
  if (encodings().find(encoding).causal_only) return {true};
  return {true, false};
}

class EveryScore : public ::testing::TestWithParam<std::string> {
 protected:
  static bool is_shift_invariant() { return encodings().find(GetParam()).shift_invariant; }
};

// q_i·k_j with all that the encoding does to them is the same at positions (i, j) and (i + k, j + k).
TEST_P(EveryScore, IsTheSameAtAnyOffsetIfTheEncodingClaimsSo) {
  Random random({.seed = 11});
  for (const bool causal : directions(GetParam())) {
    const Encoded encoded(GetParam(), causal);
    const Tensor<double> here = encoded.random_scores(0.0);
    const Tensor<double> token = encoded.probe_scores();
    double largest = 0.0;
    for (int trial = 0; trial < 4; ++trial) {
      const double offset = 1.0 + static_cast<double>(random.below(furthest - tokens - 1));
      largest = std::max({largest, largest_difference(here, encoded.random_scores(offset)),
                          largest_difference(token, encoded.probe_scores(offset))});
    }
    if (is_shift_invariant()) {
      EXPECT_LT(largest, 1e-9) << "causal " << causal;
    } else {
      EXPECT_GT(largest, 1e-3) << "causal " << causal;
    }
  }
}

// The distances of a bidirectional fire are fractions of the last position, one for all pairs of a sequence.
TEST_P(EveryScore, OfOneTokenDependsOnTheDistanceAloneIfTheEncodingClaimsSo) {
  for (const bool causal : directions(GetParam())) {
    const ScoreStatistics s = Encoded(GetParam(), causal).statistics();
    ASSERT_TRUE(s.deviation);
    const bool grows = GetParam() == "ssmax" && causal;  // with the number of keys
    const bool expected = (is_shift_invariant() && !grows) || (GetParam() == "fire" && !causal);
    EXPECT_EQ(s.depends_on_distance_alone, expected) << *s.deviation;
    EXPECT_EQ(s.is_constant, GetParam() == "none" || (GetParam() == "ssmax" && !causal));
  }
}

// With the same queries and keys.
TEST_P(EveryScore, BecomesTheAttentionOfTheLayer) {
  for (const bool causal : directions(GetParam())) {
    const Encoded encoded(GetParam(), causal);
    const Tensor<double> scores = encoded.random_scores(7.0);
    const Effect effect = encoded.at(7.0);
    Content both = random_content(encoded.shape(), tokens, 5);
    const Tensor<double> zeros({tokens, encoded.shape().d_model});
    const Index head = 3;  // which shares the second key head
    Tensor<double> expected({tokens, tokens});
    const AttentionRun<double> run{.observe = ordinal::testing::map_into(expected, 1, head)};
    Pass<double> pass(effect.of.values);
    pass.begin({.positions = effect.positions, .attention = &run});
    effect.of.encoding->begin_run(pass);
    effect.of.encoding->encode_layer(zeros.view(), 1, pass);
    effect.of.encoding->encode_query_key(both.query.view(), both.key.view(), {1, {causal}}, pass);
    ParameterLayout without_parameters;
    const HeadAttention<double> attention(*effect.of.encoding, HeadColumns("HeadAttention", encoded.shape()),
                                          {.at = {1, {causal}}, .blocks = {5}}, Scope(without_parameters));
    const View<const double> key = std::as_const(both.key).view();
    Tensor<double> out({tokens, 16});
    Tensor<double> sums({tokens, 8});
    attention.forward({.sequence = 0,
                       .query = std::as_const(both.query).view(),
                       .key = key,
                       .value = key,
                       .key_positions = effect.positions.of(0)},
                      {out.view(), sums.view(), {}}, pass);
    for (Index i = 0; i < tokens; ++i) {
      const Index visible = causal ? i + 1 : tokens;
      const double* row = scores.view().row(head * tokens + i);
      double total = 0.0;
      for (Index j = 0; j < visible; ++j) total += std::exp(row[j]);
      for (Index j = 0; j < tokens; ++j) {
        EXPECT_NEAR(expected(i, j), j < visible ? std::exp(row[j]) / total : 0.0, 1e-12) << i << ", " << j;
        EXPECT_TRUE(j < visible || row[j] == 0.0) << i << ", " << j;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryScore, ::testing::ValuesIn(encodings().names()),
                         [](const auto& info) { return info.param; });

// They are computed for a block of queries at a time.
TEST(Scores, OfManyTokensDependOnTheDistanceAlone) {
  constexpr Index many = 150;
  ModelShape shape = shape_with(true);
  shape.positions = many;
  const BuiltEncoding built("rope+alibi", shape, 3);
  const Effect effect{built, Positions::contiguous(1, many)};
  const Tensor<double> scores = effect.scores(ScoreProbe(shape, 7).content(effect));
  EXPECT_TRUE(score_statistics(scores.view(), effect.positions.of(0), true).depends_on_distance_alone);
}

// A rotation of queries and keys is linear, so it goes with the terms.
TEST(Terms, AddUpToTheScore) {
  for (const char* name : {"sinusoidal", "learned", "sinusoidal+rope"}) {
    for (const bool causal : {true, false}) {
      const Encoded encoded(name, causal);
      const Tensor<double> terms = ScoreProbe(encoded.shape(), 5).terms(encoded.at(9.0));
      ASSERT_EQ(terms.shape(), (Shape{4, 4, tokens, tokens}));
      Tensor<double> sum({4, tokens, tokens});
      for (Index i = 0; i < terms.size(); ++i) sum.data()[i % sum.size()] += terms.data()[i];
      EXPECT_LT(largest_difference(sum, encoded.probe_scores(9.0)), 1e-12) << name;
    }
  }
}

TEST(Terms, DependOnThePositionsThatTheyName) {
  const Encoded encoded("sinusoidal", false);
  const Tensor<double> terms = ScoreProbe(encoded.shape(), 5).terms(encoded.at(0.0));
  const auto term = [&](Index number) { return terms.view().row_range(number * 4 * tokens, tokens); };
  for (Index i = 1; i < tokens; ++i) {
    EXPECT_NEAR(term(0)(i, i), term(0)(0, 0), 1e-14);  // content-content: on neither
    EXPECT_NEAR(term(1)(i, 3), term(1)(0, 3), 1e-14);  // content-position: on that of the key
    EXPECT_NEAR(term(2)(3, i), term(2)(3, 0), 1e-14);  // position-content: on that of the query
    EXPECT_GT(std::abs(term(1)(3, i) - term(1)(3, i - 1)), 1e-6);
    EXPECT_GT(std::abs(term(2)(i, 3) - term(2)(i - 1, 3)), 1e-6);
  }
}

TEST(Terms, HaveTheRootMeanSquareOfWhatQueriesSee) {
  Tensor<double> terms({4, 1, 2, 2});
  std::ranges::copy(std::vector<double>{3.0, 100.0, 0.0, 4.0}, terms.data() + 4);
  const auto sizes = term_sizes(terms, true);
  EXPECT_NEAR(sizes[1], std::sqrt(25.0 / 3.0), 1e-14);
  EXPECT_EQ(sizes[0] + sizes[2] + sizes[3], 0.0);
  EXPECT_NEAR(term_sizes(terms, false)[1], std::sqrt(10025.0 / 4.0), 1e-12);
}

TEST(Probe, HasTheScaleOfATrainedInput) {
  const ModelShape shape{.d_model = 256, .heads = 4, .n_kv_heads = 2};
  const ScoreProbe probe(shape, 1);
  const auto mean_square = [](const Tensor<double>& x) {
    return std::inner_product(x.span().begin(), x.span().end(), x.data(), 0.0) /
           static_cast<double>(x.size());
  };
  EXPECT_NEAR(mean_square(probe.token), 1.0, 0.3);
  EXPECT_NEAR(mean_square(probe.query_weight), 1.0 / 256.0, 1e-4);
  EXPECT_EQ(probe.key_weight.shape(), (Shape{128, 256}));
  EXPECT_NEAR(mean_square(probe.key_weight), 1.0 / 256.0, 1e-4);
  EXPECT_EQ(largest_difference(probe.token, ScoreProbe(shape, 1).token), 0.0);
  EXPECT_GT(largest_difference(probe.token, ScoreProbe(shape, 2).token), 0.1);
}

}  // namespace
}  // namespace ordinal::experiments
