// Encodings that act on scores: published numbers, reductions to one another, and known pitfalls of real
// projects, each test named after its pitfall. Whole models against PyTorch are in
// tests/experiments/training/parity_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <cstdlib>

#include "framework/core/errors.h"
#include "framework/positional/distance_bias.h"
#include "framework/storage/safetensors.h"
#include "tests/folders.h"
#include "tests/framework/largest_difference.h"
#include "tests/framework/positional/rig.h"

namespace ordinal {
namespace {

using ::testing::ElementsAre;
using testing::largest_difference;

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

// For n ≥ e, bucket e + k begins where (n/e)^(B - e) = (D/e)^k: at n^(B - e) e^k ≥ D^k e^(B - e) in whole numbers.
TEST(T5Buckets, AreThoseOfWholeNumbers) {
  using Whole = boost::multiprecision::cpp_int;
  for (const int buckets : {2, 3, 5, 8, 16, 31, 32, 64}) {
    const int exact = buckets / 2;
    const int steps = buckets - exact;
    for (int most = exact + 1; most <= 200; ++most) {
      int k = 0;
      for (int n = exact; n <= most; ++n) {
        const auto reached = [&](int next) {
          return pow(Whole(n), static_cast<unsigned>(steps)) *
                     pow(Whole(exact), static_cast<unsigned>(next)) >=
                 pow(Whole(most), static_cast<unsigned>(next)) *
                     pow(Whole(exact), static_cast<unsigned>(steps));
        };
        while (k + 1 < steps && reached(k + 1)) ++k;
        ASSERT_EQ(t5_bucket(-n, true, buckets, most), exact + k) << n << " of " << buckets << ", " << most;
      }
    }
  }
}

TEST(T5Buckets, TrapMaxDistanceItselfIsInTheLastBucketAndNotBeyondIt) {
  EXPECT_EQ(t5_bucket(-127, true, 32, 128), 31);
  EXPECT_EQ(t5_bucket(-128, true, 32, 128), 31);
  EXPECT_EQ(t5_bucket(-100000, true, 32, 128), 31);
  EXPECT_EQ(t5_bucket(-112, true, 32, 128), 30);
  EXPECT_EQ(t5_bucket(100000, false, 32, 128), 31);
}

using Bias = testing::Rig<>;

const ModelShape encoder{.d_model = 16, .causal = false};

TEST(Alibi, IsMinusTheSlopeTimesTheDistance) {
  for (Index head = 0; head < 4; ++head) {
    const Tensor<double> bias = Bias("alibi", encoder).over(6).scores({.head = head});
    for (Index i = 0; i < 6; ++i) {
      for (Index j = 0; j < 6; ++j) {
        EXPECT_DOUBLE_EQ(bias(i, j), -std::exp2(-2.0 * static_cast<double>(head + 1)) *
                                         static_cast<double>(std::abs(i - j)));
      }
    }
  }
}

TEST(Alibi, TrapNoAbsoluteEncodingIsLeftOnBesideIt) {
  Bias alibi("alibi");
  EXPECT_TRUE(alibi.layout().specs().empty());
  const Tensor<double> x({3, 16});
  EXPECT_EQ(alibi.over(3)->encode_input(x.view(), alibi.pass()).data, x.data());
}

// As in the sources: ALiBi's bias is added to the scaled product, T5's to one that is not scaled at all.
TEST(Scores, TrapABiasIsNotDividedByTheRootOfTheHeadsWidth) {
  for (const std::string name : {"alibi", "t5", "t5_clipped", "kerple_log", "kerple_power", "fire"}) {
    Bias bias(name);
    bias.over(6);
    EXPECT_EQ(largest_difference(bias.scores({.scale = 1.0}), bias.scores({.scale = 0.25})), 0.0) << name;
  }
}

// Pairs of 6 tokens at distances of -2 and less, -1, 0, 1, 2 and more: 10, 5, 6, 5, 10.
TEST(ClippedBias, TrapTheGradientOfTheTableSumsOverAllPairsThatShareAnEntry) {
  Bias clipped("t5_clipped(max_distance=2)", encoder);
  clipped.over(6);
  for (const int sequence : {1, 2}) {
    clipped.scores_backward({.head = 2});
    const View<double> table = clipped.gradient("t5_clipped.bias");
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

TEST(T5, ByDefaultHasTheBucketsOfThePaperUnlessTrainingIsShorter) {
  const auto resolved = [](const std::string& text, Index train_length, bool causal = true) {
    const std::vector<OptionSpec> options =
        encodings().find("t5").resolve(parse_part(text), {.causal = causal, .train_length = train_length});
    return options.front().value + " to " + options.back().value;
  };
  EXPECT_EQ(resolved("t5", 128), "32 to 128");
  EXPECT_EQ(resolved("t5", 32), "32 to 32");
  EXPECT_EQ(resolved("t5", 20), "20 to 20");
  EXPECT_EQ(resolved("t5", 1), "2 to 2");
  EXPECT_EQ(resolved("t5", 20, false), "32 to 20");
  EXPECT_EQ(resolved("t5", 10, false), "20 to 10");
  EXPECT_EQ(resolved("t5(buckets=32)", 20), "32 to 32");  // the 16 exact buckets leave room for others
  EXPECT_EQ(resolved("t5(max_distance=50)", 128), "32 to 50");
}

TEST(KerplePower, WithExponentOneIsAlibiAtTheSameSlopes) {
  Bias kerple("kerple_power");
  Bias alibi("alibi");
  for (Index head = 0; head < 3; ++head) {  // the fourth slope is below what KERPLE allows, 0.01
    kerple.value("kerple_power.scale")(0, head) = alibi_slopes(4)[static_cast<std::size_t>(head)] - 0.01;
    kerple.value("kerple_power.exponent")(0, head) = 0.99;
    EXPECT_LT(largest_difference(kerple.over(6).scores({.head = head}), alibi.over(6).scores({.head = head})),
              1e-14);
  }
}

// Where r2 exceeds 2 it acts as 2 and learns nothing.
TEST(KerplePower, CapsTheExponentAt2) {
  Bias kerple("kerple_power");
  kerple.value("kerple_power.scale")(0, 0) = 0.99;
  kerple.value("kerple_power.exponent")(0, 0) = 3.0;
  EXPECT_DOUBLE_EQ(kerple.over(6).scores()(5, 1), -16.0);
  kerple.scores_backward();
  EXPECT_EQ(kerple.gradient("kerple_power.exponent")(0, 0), 0.0);
  EXPECT_NE(kerple.gradient("kerple_power.scale")(0, 0), 0.0);
}

TEST(KerpleLog, FlattensWithDistance) {
  Bias kerple("kerple_log");
  kerple.value("kerple_log.scale")(0, 0) = 1.99;
  kerple.value("kerple_log.rate")(0, 0) = 0.49;
  const Tensor<double> bias = kerple.over(6).scores();
  EXPECT_DOUBLE_EQ(bias(3, 3), 0.0);
  EXPECT_DOUBLE_EQ(bias(5, 1), -2.0 * std::log(3.0));
  EXPECT_GT(bias(5, 0) - bias(5, 1), bias(5, 3) - bias(5, 4));
}

TEST(Fire, PastTheTrainingLengthIsNoFunctionOfTheDifferenceAlone) {
  const Tensor<double> bias = Bias("fire", {.d_model = 16, .train_length = 4}).over(8).scores({.head = 1});
  EXPECT_DOUBLE_EQ(bias(2, 0), bias(3, 1));  // within
  EXPECT_NE(bias(6, 0), bias(7, 1));         // beyond
  EXPECT_DOUBLE_EQ(bias(6, 6), bias(7, 7));  // a distance of 0 is 0 in any unit
}

// i in ψ(max(L, i)) is then the position of the last token, for every query.
TEST(Fire, WhereLaterTokensAreSeenTheUnitIsThatOfTheLastToken) {
  const Tensor<double> causal = Bias("fire", {.d_model = 16, .train_length = 4}).over(8).scores();
  const Tensor<double> both =
      Bias("fire", {.d_model = 16, .causal = false, .train_length = 4}).over(8).scores();
  for (Index i = 0; i < 8; ++i) {
    for (Index j = 0; j < 8; ++j) EXPECT_NEAR(both(i, j), causal(7, 7 - std::abs(i - j)), 1e-14);
  }
}

// At positions 0.5 apart every other distance is a half. Row d of the left half of each table holds d.
TEST(FractionalDistances, HalvesRoundAwayFromZeroInEveryTable) {
  const std::vector<double> halves = {0, 0.5, 1, 1.5, 2};
  const std::vector<double> rounded = {0, 1, 1, 2, 2};  // 0, 0.5, 1, 1.5, 2
  Bias t5("t5(buckets=16, max_distance=8)", encoder);
  Bias clipped("t5_clipped(max_distance=4)", encoder);
  for (Index d = 0; d < 3; ++d) {
    for (const Index row : {d, 8 + d}) t5.value("t5.bias")(row, 0) = static_cast<double>(d);
    for (const Index row : {4 - d, 4 + d}) clipped.value("t5_clipped.bias")(row, 0) = static_cast<double>(d);
  }
  for (Bias* bias : {&t5, &clipped}) {
    const Tensor<double> values = bias->at(halves).scores();
    for (std::size_t i = 0; i < 5; ++i) {
      EXPECT_EQ(values(static_cast<Index>(i), 0), rounded[i]) << "a key to the left";
      EXPECT_EQ(values(0, static_cast<Index>(i)), rounded[i]) << "a key to the right";
    }
  }
}

// Every bias reaches both sides in its own way: clipped ones tell left from right, the others do not.
TEST(ClippedBias, TellsLeftFromRightAndEndsAtK) {
  const Tensor<double> bias = Bias("t5_clipped(max_distance=2)", encoder).over(6).scores({.head = 2});
  EXPECT_NE(bias(2, 3), bias(3, 2));
  EXPECT_DOUBLE_EQ(bias(5, 0), bias(2, 0));
  EXPECT_DOUBLE_EQ(bias(0, 5), bias(0, 2));
  EXPECT_NE(bias(5, 3), bias(5, 4));
}

}  // namespace
}  // namespace ordinal
