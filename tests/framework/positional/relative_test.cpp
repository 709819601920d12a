// Encodings that act on scores: published numbers, reductions to one another, and known pitfalls of real
// projects, each test named after its pitfall. Whole models against PyTorch are in
// tests/models/parity_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "framework/core/errors.h"
#include "framework/positional/alibi.h"
#include "framework/positional/t5.h"
#include "framework/storage/safetensors.h"
#include "models/transformer.h"
#include "tests/folders.h"

namespace ordinal {
namespace {

using ::testing::ElementsAre;
using ::testing::ThrowsMessage;

std::vector<double> log2_slopes(Index heads) {
  std::vector<double> exponents;
  for (const double slope : alibi_slopes(heads))
    exponents.push_back(std::round(1e9 * std::log2(slope)) / 1e9);
  return exponents;
}

TEST(AlibiSlopes, OfAPowerOfTwoAreAGeometricSequence) {
  EXPECT_THAT(log2_slopes(8), ElementsAre(-1, -2, -3, -4, -5, -6, -7, -8));
  EXPECT_THAT(log2_slopes(4), ElementsAre(-2, -4, -6, -8));
}

TEST(AlibiSlopes, TrapTwelveHeadsAreNotTwoToTheMinusEightHOverTwelve) {
  EXPECT_THAT(log2_slopes(12), ElementsAre(-1, -2, -3, -4, -5, -6, -7, -8, -0.5, -1.5, -2.5, -3.5));
  EXPECT_THAT(log2_slopes(6), ElementsAre(-2, -4, -6, -8, -1, -3));
  EXPECT_THAT(log2_slopes(3), ElementsAre(-4, -8, -2));
}

TEST(AlibiSlopes, OneHeadHasAlmostNoBias) { EXPECT_THAT(alibi_slopes(1), ElementsAre(1.0 / 256.0)); }

TEST(T5Buckets, EqualThePublishedCodeFromMinus600To600) {
  const SafetensorsFile file(fixtures_folder() / "encodings" / "t5_buckets.safetensors");
  const auto relative = file.values<std::int64_t>("relative");
  for (const bool causal : {true, false}) {
    const auto expected = file.values<std::int64_t>(causal ? "buckets.True" : "buckets.False");
    for (std::size_t i = 0; i < relative.size(); ++i) {
      ASSERT_EQ(t5_bucket(relative[i], causal, 32, 128), expected[i]) << relative[i];
    }
  }
}

TEST(T5Buckets, TrapRelativePositionIsKeyMinusQuery) {
  EXPECT_EQ(t5_bucket(-3, true, 32, 128), 3);   // a key to the left
  EXPECT_EQ(t5_bucket(3, true, 32, 128), 0);    // a causal query does not see it
  EXPECT_EQ(t5_bucket(-3, false, 32, 128), 3);  // left: the first half
  EXPECT_EQ(t5_bucket(3, false, 32, 128), 19);  // right: the second
}

TEST(T5Buckets, TrapTheFirstLogarithmicBucketFollowsTheLastExactOne) {
  EXPECT_EQ(t5_bucket(-15, true, 32, 128), 15);
  EXPECT_EQ(t5_bucket(-16, true, 32, 128), 16);
  EXPECT_EQ(t5_bucket(-19, true, 32, 128), 17);
}

// With 4 exact buckets and max_distance 128 = 4·2⁵ each power of 2 begins a bucket; in floating point ln(8/4)/ln(32) · 5
// is below 1.
TEST(T5Buckets, TrapAWholeLogRatioIsNotRoundedDown) {
  for (const auto& [distance, bucket] : {std::pair<Index, Index>{8, 5}, {16, 6}, {32, 7}, {64, 8}}) {
    EXPECT_EQ(t5_bucket(-distance, true, 9, 128), bucket) << distance;
    EXPECT_EQ(t5_bucket(-(distance - 1), true, 9, 128), bucket - 1) << distance - 1;
  }
}

TEST(T5Buckets, TrapMaxDistanceItselfIsInTheLastBucketAndNotBeyondIt) {
  EXPECT_EQ(t5_bucket(-127, true, 32, 128), 31);
  EXPECT_EQ(t5_bucket(-128, true, 32, 128), 31);
  EXPECT_EQ(t5_bucket(-100000, true, 32, 128), 31);
  EXPECT_EQ(t5_bucket(-112, true, 32, 128), 30);
  EXPECT_EQ(t5_bucket(100000, false, 32, 128), 31);
}

// The bias of one head for `length` tokens, by its hook: (length, length), zero where nothing is seen.
class Bias {
 public:
  explicit Bias(const std::string& text, const ModelShape& shape = {.d_model = 16, .heads = 4})
      : shape_(shape),
        encoding_(make_positional_encoding<double>(text, shape, Scope(layout_, "positional"))) {
    values_ = std::make_unique<Parameters<double>>(layout_);
    initialize(*values_, 1);
  }

  void set(const std::string& name, Index row, Index column, double value) {
    (*values_)["positional." + name](row, column) = value;
  }

  Tensor<double> of(Index head, const std::vector<double>& positions, double scale = 1.0) const {
    const Index length = std::ssize(positions);
    Pass<double> pass(*values_);
    pass.begin({.positions = Positions::shared(1, positions)});
    encoding_->begin_run(pass);
    const Tensor<double> q({length, shape_.d_head()});
    Tensor<double> scores({length, length});
    encoding_->encode_scores(block_of(head, positions, q, scale), scores.view(), pass);
    return scores;
  }

  // Adds to `gradients` what a gradient of 1 in each score of one head gives.
  void add_gradient_of_ones(Index head, const std::vector<double>& positions,
                            Parameters<double>& gradients) const {
    const Index length = std::ssize(positions);
    Pass<double> pass(*values_, &gradients);
    pass.begin({.positions = Positions::shared(1, positions)});
    encoding_->begin_run(pass);
    const Tensor<double> q({length, shape_.d_head()});
    Tensor<double> d_scores({length, length});
    std::ranges::fill(d_scores.span(), 1.0);
    Tensor<double> d_query({length, shape_.d_head()});
    Tensor<double> d_key({length, shape_.d_head()});
    encoding_->encode_scores_backward(block_of(head, positions, q, 1.0),
                                      {d_scores.view(), d_query.view(), d_key.view()}, pass);
  }

  const ParameterLayout& layout() const { return layout_; }

 private:
  ScoreBlock<double> block_of(Index head, const std::vector<double>& positions, const Tensor<double>& q,
                              double scale) const {
    return {.head = head,
            .sight = {shape_.causal},
            .scale = scale,
            .query = q.view(),
            .key = q.view(),
            .query_positions = positions,
            .key_positions = positions};
  }

  ModelShape shape_;
  ParameterLayout layout_;
  std::unique_ptr<PositionalEncoding<double>> encoding_;
  std::unique_ptr<Parameters<double>> values_;
};

const std::vector<double> whole = {0, 1, 2, 3, 4, 5};

TEST(Alibi, IsMinusTheSlopeTimesTheDistance) {
  const Bias alibi("alibi", {.d_model = 16, .heads = 4, .causal = false});
  for (Index head = 0; head < 4; ++head) {
    const Tensor<double> bias = alibi.of(head, whole);
    for (Index i = 0; i < 6; ++i) {
      for (Index j = 0; j < 6; ++j) {
        EXPECT_DOUBLE_EQ(bias(i, j), -std::exp2(-2.0 * static_cast<double>(head + 1)) *
                                         static_cast<double>(std::abs(i - j)));
      }
    }
  }
}

TEST(Alibi, TrapNoAbsoluteEncodingIsLeftOnBesideIt) {
  ParameterLayout layout;
  const auto alibi = make_positional_encoding<double>("alibi", {}, Scope(layout, "positional"));
  EXPECT_TRUE(layout.specs().empty());
  const Parameters<double> none(layout);
  Pass<double> pass(none);
  pass.begin({.positions = Positions::contiguous(1, 3)});
  const Tensor<double> x({3, 64});
  EXPECT_EQ(alibi->encode_input(x.view(), pass).data, x.data());
}

// As in the sources: ALiBi's bias is added to the scaled product, T5's to one that is not scaled at all.
TEST(Scores, TrapABiasIsNotDividedByTheRootOfTheHeadsWidth) {
  for (const std::string name : {"alibi", "t5", "t5_clipped", "kerple_log", "kerple_power", "fire"}) {
    const Bias bias(name, {.d_model = 16, .heads = 4, .train_length = 64});
    const Tensor<double> plain = bias.of(1, whole, 1.0);
    const Tensor<double> scaled = bias.of(1, whole, 0.25);
    for (Index i = 0; i < 36; ++i) EXPECT_EQ(plain.data()[i], scaled.data()[i]) << name;
  }
}

// Pairs of 6 tokens at distances of -2 and less, -1, 0, 1, 2 and more: 10, 5, 6, 5, 10.
TEST(ClippedBias, TrapTheGradientOfTheTableSumsOverAllPairsThatShareAnEntry) {
  const Bias clipped("t5_clipped(max_distance=2)", {.d_model = 16, .heads = 4, .causal = false});
  Parameters<double> gradients(clipped.layout());
  for (const int sequence : {1, 2}) {
    clipped.add_gradient_of_ones(2, whole, gradients);
    const View<double> table = gradients["positional.t5_clipped.bias"];
    const double pairs[] = {10, 5, 6, 5, 10};
    for (Index row = 0; row < 5; ++row) {
      EXPECT_DOUBLE_EQ(table(row, 2), pairs[row] * sequence);
      EXPECT_EQ(table(row, 1), 0.0) << "another head";
    }
  }
}

TEST(ClippedBias, ByDefaultEndsAtAQuarterOfTheTrainingLength) {
  for (const std::string name : {"t5_clipped", "shaw"}) {
    EXPECT_EQ(encodings().find(name).resolve({name}, {.train_length = 64}).front().value, "16") << name;
    EXPECT_EQ(encodings().find(name).resolve({name}, {.train_length = 2}).front().value, "1") << name;
  }
}

TEST(T5, ByDefaultTheLastBucketBeginsAtTheTrainingLength) {
  const auto max_distance = [](const std::string& text, const ModelShape& shape) {
    return encodings().find("t5").resolve(parse_part(text), shape).back().value;
  };
  EXPECT_EQ(max_distance("t5", {.train_length = 128}), "128");
  EXPECT_EQ(max_distance("t5", {.train_length = 20}), "32");  // the 16 exact buckets leave room for others
  EXPECT_EQ(max_distance("t5(max_distance=50)", {.train_length = 128}), "50");
}

TEST(T5, RefusesOptionsThatDoNotFitTogether) {
  EXPECT_THAT(
      [] { Bias("t5(buckets=32, max_distance=16)"); },
      ThrowsMessage<ConfigError>("t5: max_distance = 16 must exceed 16, the distances that 32 buckets hold "
                                 "exactly"));
  EXPECT_THAT([] { Bias("t5(buckets=3)", {.d_model = 16, .causal = false}); },
              ThrowsMessage<ConfigError>("t5: buckets = 3, expected at least 4"));
  EXPECT_NO_THROW(Bias("t5(buckets=3)"));
}

TEST(KerplePower, WithExponentOneIsAlibiAtTheSameSlopes) {
  Bias kerple("kerple_power");
  const Bias alibi("alibi");
  for (Index head = 0; head < 3; ++head) {  // the fourth slope is below what KERPLE allows, 0.01
    kerple.set("kerple_power.scale", 0, head, alibi_slopes(4)[static_cast<std::size_t>(head)] - 0.01);
    kerple.set("kerple_power.exponent", 0, head, 0.99);
    const Tensor<double> left = kerple.of(head, whole);
    const Tensor<double> right = alibi.of(head, whole);
    for (Index i = 0; i < 36; ++i) EXPECT_NEAR(left.data()[i], right.data()[i], 1e-14);
  }
}

// Where r2 exceeds 2 it acts as 2 and learns nothing.
TEST(KerplePower, CapsTheExponentAt2) {
  Bias kerple("kerple_power");
  kerple.set("kerple_power.scale", 0, 0, 0.99);
  kerple.set("kerple_power.exponent", 0, 0, 3.0);
  EXPECT_DOUBLE_EQ(kerple.of(0, whole)(5, 1), -16.0);
  Parameters<double> gradients(kerple.layout());
  kerple.add_gradient_of_ones(0, whole, gradients);
  EXPECT_EQ(gradients["positional.kerple_power.exponent"](0, 0), 0.0);
  EXPECT_NE(gradients["positional.kerple_power.scale"](0, 0), 0.0);
}

TEST(KerpleLog, FlattensWithDistance) {
  Bias kerple("kerple_log");
  kerple.set("kerple_log.scale", 0, 0, 1.99);
  kerple.set("kerple_log.rate", 0, 0, 0.49);
  const Tensor<double> bias = kerple.of(0, whole);
  EXPECT_DOUBLE_EQ(bias(3, 3), 0.0);
  EXPECT_DOUBLE_EQ(bias(5, 1), -2.0 * std::log(3.0));
  EXPECT_GT(bias(5, 0) - bias(5, 1), bias(5, 3) - bias(5, 4));
}

TEST(Fire, PastTheTrainingLengthIsNoFunctionOfTheDifferenceAlone) {
  const Bias fire("fire", {.d_model = 16, .heads = 4, .train_length = 4});
  const Tensor<double> bias = fire.of(1, {0, 1, 2, 3, 4, 5, 6, 7});
  EXPECT_DOUBLE_EQ(bias(2, 0), bias(3, 1));  // within
  EXPECT_NE(bias(6, 0), bias(7, 1));         // beyond
  EXPECT_DOUBLE_EQ(bias(6, 6), bias(7, 7));  // a distance of 0 is 0 in any unit
}

// At positions 0.5 apart every other distance is a half. Row d of the left half of each table holds d.
TEST(FractionalDistances, HalvesRoundAwayFromZeroInEveryTable) {
  const std::vector<double> halves = {0, 0.5, 1, 1.5, 2};
  const std::vector<double> rounded = {0, 1, 1, 2, 2};  // 0, 0.5, 1, 1.5, 2
  const ModelShape shape{.d_model = 16, .heads = 4, .causal = false};
  Bias t5("t5(buckets=16, max_distance=8)", shape);
  Bias clipped("t5_clipped(max_distance=4)", shape);
  for (Index d = 0; d < 3; ++d) {
    t5.set("t5.bias", d, 0, static_cast<double>(d));
    t5.set("t5.bias", 8 + d, 0, static_cast<double>(d));
    clipped.set("t5_clipped.bias", 4 - d, 0, static_cast<double>(d));
    clipped.set("t5_clipped.bias", 4 + d, 0, static_cast<double>(d));
  }
  for (const Bias* bias : {&t5, &clipped}) {
    const Tensor<double> values = bias->of(0, halves);
    for (std::size_t i = 0; i < 5; ++i) {
      EXPECT_EQ(values(static_cast<Index>(i), 0), rounded[i]) << "a key to the left";
      EXPECT_EQ(values(0, static_cast<Index>(i)), rounded[i]) << "a key to the right";
    }
  }
}

// Every bias reaches both sides in its own way: clipped ones tell left from right, the others do not.
TEST(ClippedBias, TellsLeftFromRightAndEndsAtK) {
  const Bias clipped("t5_clipped(max_distance=2)", {.d_model = 16, .heads = 4, .causal = false});
  const Tensor<double> bias = clipped.of(2, whole);
  EXPECT_NE(bias(2, 3), bias(3, 2));
  EXPECT_DOUBLE_EQ(bias(5, 0), bias(2, 0));
  EXPECT_DOUBLE_EQ(bias(0, 5), bias(0, 2));
  EXPECT_NE(bias(5, 3), bias(5, 4));
}

}  // namespace
}  // namespace ordinal
