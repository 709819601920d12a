// Statistics of the sinusoidal encoding, which follow from its formula.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "experiments/encoding/analysis.h"
#include "framework/positional/encodings/sinusoidal.h"
#include "tests/framework/positional/rig.h"

namespace ordinal::experiments {
namespace {

// Of a column, over 1,000 positions.
double variance_of(Index column) {
  const Tensor<double> pe = sinusoidal_positional_encoding(1000, 64);
  Tensor<double> values({1000, 1});
  for (Index pos = 0; pos < 1000; ++pos) values(pos, 0) = pe(pos, column);
  return encoding_statistics(values).variance;
}

// Whole waves of the first column pass its mean square of one half; the last sine hardly moves in 1,000 positions.
TEST(FrequencyStructure, LowDimensionsChangeFastAndHighOnesSlowly) {
  EXPECT_NEAR(variance_of(0), 0.5, 0.01);
  EXPECT_LT(variance_of(62), 0.01);
}

// x ~ N(0, 1), and PE consists of pairs (sin, cos), whose mean square is 1/2: nothing blows up.
TEST(Integration, AddingAnEncodingKeepsTheScaleOfTheInput) {
  const Tensor<double> x = ordinal::testing::normal_tensor({4, 128, 64}, 3);
  const Tensor<double> sum = SinusoidalPositionalEncoding<double>(128, 64).forward(x);
  const EncodingStatistics before = encoding_statistics(x);
  const EncodingStatistics after = encoding_statistics(sum);
  const EncodingStatistics added = encoding_statistics(sinusoidal_positional_encoding(128, 64));
  EXPECT_NEAR(added.variance + added.mean * added.mean, 0.5, 1e-3);
  EXPECT_NEAR(after.mean, before.mean + added.mean, 1e-12);
  EXPECT_NEAR(after.variance, before.variance + added.variance, 0.05);
  EXPECT_LT(after.largest, before.largest + 1.0 + 1e-12);
}

TEST(SinusoidalUniqueness, EveryPositionIsBoundedByOneAndHasTheNormRootOfHalfTheWidth) {
  for (const Index width : {4, 64, 512}) {
    const EncodingStatistics statistics = encoding_statistics(sinusoidal_positional_encoding(300, width));
    EXPECT_GE(statistics.smallest, -1.0);
    EXPECT_LE(statistics.largest, 1.0);
    for (const double norm : statistics.norms)
      EXPECT_NEAR(norm, std::sqrt(static_cast<double>(width) / 2.0), 1e-12);
  }
}

TEST(SinusoidalUniqueness, OneFrequencyIsAmbiguousAndManyAreNot) {
  EXPECT_LT(uniqueness(sinusoidal_positional_encoding(512, 2)).distance, 0.01);
  EXPECT_GT(uniqueness(sinusoidal_positional_encoding(1000, 64)).distance, 0.1);
}

TEST(SinusoidalReference, TheWholeTableIsTheFormulaInExtendedPrecision) {
  const Tensor<double> pe = sinusoidal_positional_encoding(2048, 512);
  long double largest = 0.0L;
  for (Index t = 0; t < 2048; ++t) {
    for (Index c = 0; c < 512; ++c) {
      const long double exponent = static_cast<long double>(c - c % 2) / 512.0L;
      const long double angle = static_cast<long double>(t) / std::pow(10000.0L, exponent);
      const long double exact = c % 2 == 0 ? std::sin(angle) : std::cos(angle);
      largest = std::max(largest, std::abs(static_cast<long double>(pe(t, c)) - exact));
    }
  }
  EXPECT_LT(largest, 1e-12L);
}

// How much rows repeat: the largest rise in similarity of two rows after it has fallen, as their distance grows.
double repetition(Index d_model, Index seq_len, double base) {
  const Tensor<double> similarity = cosine_similarity(sinusoidal_positional_encoding(seq_len, d_model, base));
  double least = 1.0;
  double most_risen = 0.0;
  for (Index distance = 0; distance < seq_len; ++distance) {
    least = std::min(least, similarity(0, distance));
    most_risen = std::max(most_risen, similarity(0, distance) - least);
  }
  return most_risen;
}

TEST(SinusoidalBase, ThatIsSmallMakesRowsRepeatMore) {
  for (const Index d_model : {16, 64, 512})
    for (const Index seq_len : {64, 512})
      EXPECT_GT(repetition(d_model, seq_len, 10.0), repetition(d_model, seq_len, 10000.0))
          << d_model << seq_len;
}

}  // namespace
}  // namespace ordinal::experiments
