// TUPE: what is untied, and what happens past the table. Scores against the formula are in score_formulas_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "framework/core/errors.h"
#include "framework/core/random.h"
#include "framework/positional/positional_encoding.h"

namespace ordinal {
namespace {

class Tupe {
 public:
  explicit Tupe(const std::string& text)
      : encoding_(make_positional_encoding<double>(text, shape_, Scope(layout_, "positional"))),
        values_(std::make_unique<Parameters<double>>(layout_)) {
    Random random({.seed = 3});
    for (double& value : values_->flat()) value = random.normal();
  }

  const PositionalEncoding<double>& encoding() const { return *encoding_; }

  // What is added to the scores of one layer.
  Tensor<double> scores(Index layer, Index length) const {
    Pass<double> pass(*values_);
    pass.begin({.positions = Positions::contiguous(1, length)});
    encoding_->begin_run(pass);
    const Tensor<double> q({length, shape_.d_head()});
    Tensor<double> scores({length, length});
    const auto positions = pass.run().positions.of(0);
    const ScoreBlock<double> block{.layer = layer,
                                   .sight = {false},
                                   .query = q.view(),
                                   .key = q.view(),
                                   .query_positions = positions,
                                   .key_positions = positions};
    encoding_->encode_scores(block, scores.view(), pass);
    return scores;
  }

  // Queries of ones, encoded.
  Tensor<double> queries(Index length) const {
    Pass<double> pass(*values_);
    pass.begin({.positions = Positions::contiguous(1, length)});
    encoding_->begin_run(pass);
    Tensor<double> query({length, shape_.d_model});
    Tensor<double> key({length, shape_.d_model});
    std::ranges::fill(query.span(), 1.0);
    encoding_->encode_query_key(query.view(), key.view(), 0, pass);
    return query;
  }

 private:
  ModelShape shape_{.d_model = 8,
                    .heads = 2,
                    .n_kv_heads = 2,
                    .layers = 2,
                    .causal = false,
                    .train_length = 12,
                    .positions = 12};
  ParameterLayout layout_;
  std::unique_ptr<PositionalEncoding<double>> encoding_;
  std::unique_ptr<Parameters<double>> values_;
};

TEST(Tupe, TheTermOfPositionsIsTheSameInEveryLayer) {
  const Tupe tupe("tupe");
  const Tensor<double> first = tupe.scores(0, 12);
  const Tensor<double> second = tupe.scores(1, 12);
  EXPECT_TRUE(std::ranges::equal(first.span(), second.span()));
  EXPECT_NE(first(3, 5), first(4, 6)) << "and no function of the distance";
}

// So that the sum of two terms has the variance of one: Ke et al. 2021, §3.1.
TEST(Tupe, TrapTheContentIsScaledTooByTheRootOfTwiceTheHeadsWidth) {
  const Tensor<double> query = Tupe("tupe").queries(3);
  for (const double value : query.span()) EXPECT_DOUBLE_EQ(value, std::sqrt(0.5));
}

TEST(Tupe, PastItsTableDoesWhatTheEmbeddingDoes) {
  EXPECT_THROW(Tupe("tupe").scores(0, 13), PositionError);
  const Tensor<double> clamped = Tupe("tupe(embedding=learned(overflow=clamp))").scores(0, 14);
  for (Index i = 0; i < 14; ++i) EXPECT_EQ(clamped(i, 13), clamped(i, 11));
  EXPECT_NO_THROW(Tupe("tupe(embedding=sinusoidal)").scores(0, 40));
  EXPECT_TRUE(Tupe("tupe").encoding().keeps_prefixes());
  EXPECT_FALSE(Tupe("tupe(embedding=learned(overflow=interpolate))").encoding().keeps_prefixes());
}

}  // namespace
}  // namespace ordinal
