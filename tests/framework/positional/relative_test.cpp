// Encodings that add a bias to scores: published numbers, and what PyTorch's whole models
// (tests/experiments/training/parity_test.cpp) do not show.
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

using testing::largest_difference;

// Of 12 heads, the slopes of 8 heads are followed by every second one of 16.
TEST(AlibiSlopes, TrapTwelveHeadsAreNotTwoToTheMinusEightHOverTwelve) {
  const std::vector<std::vector<double>> exponents = {{8},
                                                      {4, 8, 2},
                                                      {2, 4, 6, 8},
                                                      {2, 4, 6, 8, 1, 3},
                                                      {1, 2, 3, 4, 5, 6, 7, 8},
                                                      {1, 2, 3, 4, 5, 6, 7, 8, 0.5, 1.5, 2.5, 3.5}};
  for (const std::vector<double>& of_heads : exponents) {
    std::vector<double> slopes;
    for (const double exponent : of_heads) slopes.push_back(std::exp2(-exponent));
    EXPECT_LT(largest_difference(alibi_slopes(std::ssize(of_heads)), slopes), 1e-15);
  }
}

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

// For n ≥ e, bucket e + k begins where (n/e)^(B - e) = (D/e)^k: at n^(B - e) e^k ≥ D^k e^(B - e) in whole numbers. In floating
// point, ln(8/4)/ln(32) · 5 is below 1.
TEST(T5Buckets, TrapAWholeLogRatioIsNotRoundedDown) {
  using Whole = boost::multiprecision::cpp_int;
  for (const int buckets : {2, 3, 5, 8, 9, 16, 31, 32, 64}) {
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

using Bias = testing::Rig<>;

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

// i in ψ(max(L, i)) is then the position of the last token, for every query.
TEST(Fire, WhereLaterTokensAreSeenTheUnitIsThatOfTheLastToken) {
  const Tensor<double> causal = Bias("fire", {.d_model = 16, .train_length = 4}).over(8).scores();
  const Tensor<double> both =
      Bias("fire", {.d_model = 16, .causal = false, .train_length = 4}).over(8).scores();
  for (Index i = 0; i < 8; ++i) {
    for (Index j = 0; j < 8; ++j) EXPECT_NEAR(both(i, j), causal(7, 7 - std::abs(i - j)), 1e-14);
  }
}

// At positions 0.5 apart every other distance is a half. Row d of each half of the table holds d.
TEST(FractionalDistances, OfHalvesRoundAwayFromZeroInT5) {
  const double rounded[] = {0, 1, 1, 2, 2};  // 0, 0.5, 1, 1.5, 2
  Bias t5("t5(buckets=16, max_distance=8)", {.d_model = 16, .causal = false});
  for (Index row = 0; row < 16; ++row) t5.value("t5.bias")(row, 0) = static_cast<double>(row % 8);
  const Tensor<double> values = t5.at({0, 0.5, 1, 1.5, 2}).scores();
  for (Index i = 0; i < 5; ++i) {
    EXPECT_EQ(values(i, 0), rounded[i]) << "a key to the left";
    EXPECT_EQ(values(0, i), rounded[i]) << "a key to the right";
  }
}

}  // namespace
}  // namespace ordinal
