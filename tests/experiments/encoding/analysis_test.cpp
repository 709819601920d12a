// The relative position property and the structure of inner products.
#include "experiments/encoding/analysis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "framework/core/random.h"
#include "framework/positional/encodings/sinusoidal.h"
#include "tests/framework/largest_difference.h"

namespace ordinal::experiments {
namespace {

using ordinal::testing::largest_difference;

Tensor<double> random_table(Index rows, Index cols) {
  Tensor<double> table({rows, cols});
  Random random({.seed = 1});
  for (double& value : table.span()) value = random.normal();
  return table;
}

// M_k in closed form: one rotation by ω_i k for each pair of columns.
Tensor<double> rotation_matrix(Index d_model, double offset) {
  Tensor<double> matrix({d_model, d_model});
  const std::vector<double> frequencies = sinusoidal_frequencies(d_model);
  for (Index i = 0; i < d_model; i += 2) {
    const double angle = offset * frequencies[static_cast<std::size_t>(i / 2)];
    matrix(i, i) = matrix(i + 1, i + 1) = std::cos(angle);
    matrix(i, i + 1) = std::sin(angle);
    matrix(i + 1, i) = -std::sin(angle);
  }
  return matrix;
}

class Offset : public ::testing::TestWithParam<Index> {};

TEST_P(Offset, ActsAsARotation) {
  const Tensor<double> pe = sinusoidal_positional_encoding(200, 64);
  const Tensor<double> matrix = relative_position_matrix(pe, GetParam());
  EXPECT_LT(reconstruction_error(matrix, pe, GetParam()), 1e-10);
  EXPECT_LT(largest_difference(matrix, rotation_matrix(64, static_cast<double>(GetParam()))), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(RelativePosition, Offset, ::testing::Values(1, 5, 10, 50));

// One pair of positions (pos, pos + 5) alone determines M_5, whichever pair it is.
TEST(RelativePosition, IsTheSameFromEveryPairOfPositions) {
  const Tensor<double> expected = rotation_matrix(64, 5.0);
  for (const double pos : {0.0, 1.0, 17.0, 100.0, 4000.0}) {
    const std::vector<double> six = {pos, pos + 1.0, pos + 2.0, pos + 3.0, pos + 4.0, pos + 5.0};
    const Tensor<double> matrix = relative_position_matrix(sinusoidal_positional_encoding(six, 64), 5);
    EXPECT_LT(largest_difference(matrix, expected), 1e-11) << "from position " << pos;
  }
}

TEST(RelativePosition, ATableWithoutStructureHasNone) {
  const Tensor<double> table = random_table(100, 64);
  EXPECT_GT(reconstruction_error(relative_position_matrix(table, 5), table, 5), 1.0);
}

// M_5 maps every row of the table five positions on, so one wrong row is an error wherever it stands.
TEST(RelativePosition, ATableWithOneWrongRowHasAnErrorOfReconstruction) {
  const Tensor<double> pe = sinusoidal_positional_encoding(60, 16);
  const Tensor<double> matrix = relative_position_matrix(pe, 5);
  for (const Index wrong : {0, 1, 30, 58, 59}) {
    Tensor<double> table = pe;
    table(wrong, 3) += 1.0;
    EXPECT_GT(reconstruction_error(matrix, table, 5), 0.5) << wrong;
    table(wrong, 3) = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(std::isnan(reconstruction_error(matrix, table, 5))) << wrong;
  }
}

std::vector<double> first_positions(Index count) {
  std::vector<double> positions(static_cast<std::size_t>(count));
  std::iota(positions.begin(), positions.end(), 0.0);
  return positions;
}

std::optional<double> deviation(View<const double> scores, std::span<const double> positions, bool causal) {
  return score_statistics(scores, positions, causal).deviation;
}

TEST(DotProductDistance, DependsOnTheDistanceOnly) {
  const Tensor<double> gram = dot_product_distance(sinusoidal_positional_encoding(100, 64));
  for (const Index k : {0, 1, 5, 20, 80}) {
    double closed_form = 0.0;
    for (const double frequency : sinusoidal_frequencies(64))
      closed_form += std::cos(frequency * static_cast<double>(k));
    for (const Index i : {0, 10}) {
      EXPECT_NEAR(gram(i, i + k), closed_form, 1e-11);
      EXPECT_NEAR(gram(i + k, i), closed_form, 1e-11);
    }
  }
  EXPECT_LT(deviation(gram.view(), first_positions(100), false).value(), 1e-10);
  const Tensor<double> other = dot_product_distance(random_table(100, 64));
  EXPECT_GT(deviation(other.view(), first_positions(100), false).value(), 1.0);
}

TEST(DistanceDeviation, OfACausalMatrixLeavesOutWhatNoQuerySees) {
  const std::vector<double> values = {1.0, 7.0, 9.0, 2.0, 1.0, 8.0, 3.0, 2.0, 1.0};
  const Tensor<double> scores({3, 3}, values);
  EXPECT_EQ(deviation(scores.view(), first_positions(3), true), 0.0);
  EXPECT_EQ(deviation(scores.view(), first_positions(3), false), 0.5);  // 7 and 8
}

TEST(DistanceDeviation, ComparesScoresOfTheSameHeadOnly) {
  Tensor<double> scores({2, 3, 3});
  std::fill_n(scores.data() + 9, 9, 1.0);
  EXPECT_EQ(deviation(std::as_const(scores).view(), first_positions(3), false), 0.0);
  scores(5, 0) = 3.0;  // the only one at distance 2
  EXPECT_EQ(deviation(std::as_const(scores).view(), first_positions(3), false), 0.0);
  scores(5, 1) = 3.0;
  EXPECT_EQ(deviation(std::as_const(scores).view(), first_positions(3), false), 1.0);
}

// cos(p_i - p_j) is a function of the difference, and not of that of the indices.
TEST(DistanceDeviation, IsAboutPositionsAndNotAboutIndices) {
  const std::vector<double> positions = {5.0, 10.0, 15.0, 100.0, 105.0, 1000.0 / 3.0, 1015.0 / 3.0};
  Tensor<double> scores({7, 7});
  for (std::size_t i = 0; i < 7; ++i) {
    for (std::size_t j = 0; j < 7; ++j)
      scores(static_cast<Index>(i), static_cast<Index>(j)) = std::cos(positions[i] - positions[j]);
  }
  EXPECT_LT(deviation(std::as_const(scores).view(), positions, false).value(), 1e-12);
  EXPECT_GT(deviation(std::as_const(scores).view(), first_positions(7), false).value(), 0.1);
}

TEST(DistanceDeviation, OfANumberThatIsNoneIsNone) {
  for (const Index where : {0, 5, 24}) {
    Tensor<double> scores = random_table(5, 5);
    scores.data()[where] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(std::isnan(deviation(scores.view(), first_positions(5), false).value())) << where;
  }
}

TEST(DistanceDeviation, IsUnknownWhereNoDistanceOccursTwice) {
  const std::vector<double> positions = {0.0, 1.0, 3.0};
  EXPECT_FALSE(deviation(random_table(3, 3).view(), positions, true));
}

TEST(EncodingStatistics, OfASmallMatrix) {
  const std::vector<double> values = {3.0, 4.0, -1.0, 0.0};
  const EncodingStatistics statistics = encoding_statistics(Tensor<double>({2, 2}, values));
  EXPECT_THAT(statistics.norms, ::testing::ElementsAre(5.0, 1.0));
  EXPECT_DOUBLE_EQ(statistics.mean, 1.5);
  EXPECT_DOUBLE_EQ(statistics.variance, (2.25 + 6.25 + 6.25 + 2.25) / 4.0);
  EXPECT_EQ(statistics.smallest, -1.0);
  EXPECT_EQ(statistics.largest, 4.0);
}

TEST(CosineSimilarity, IsOneForTheSameDirectionAndZeroForNothing) {
  const std::vector<double> values = {1.0, 0.0, 2.0, 0.0, 0.0, 3.0, 0.0, 0.0};
  const Tensor<double> similarity = cosine_similarity(Tensor<double>({4, 2}, values));
  EXPECT_DOUBLE_EQ(similarity(0, 1), 1.0);
  EXPECT_DOUBLE_EQ(similarity(0, 2), 0.0);
  EXPECT_DOUBLE_EQ(similarity(0, 3), 0.0);
}

TEST(Uniqueness, FindsTheClosestRows) {
  Tensor<double> table = random_table(50, 8);
  for (Index c = 0; c < 8; ++c) table(41, c) = table(7, c) + (c == 3 ? 0.25 : 0.0);
  const Uniqueness closest = uniqueness(table);
  EXPECT_EQ(closest.first, 7);
  EXPECT_EQ(closest.second, 41);
  EXPECT_NEAR(closest.distance, 0.25, 1e-12);
}

}  // namespace
}  // namespace ordinal::experiments
