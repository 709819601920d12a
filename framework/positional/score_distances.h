// The distances between the queries and keys of a block of scores.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "framework/positional/positional_encoding.h"

namespace ordinal {

// For tables of relative positions up to a largest distance: t5_clipped and shaw.
struct ClippedDistanceOptions {
  Index max_distance = 0;

  void visit(OptionVisitor& v) {
    v.integer("max_distance", max_distance, automatic_or(1, 1e6),
              "distance k from which all share one row; 0: a quarter of the training length");
  }
  // The ratio of 16 to about 64 in Shaw et al. 2018, and of 128 to 512 in T5.
  void resolve(const ModelShape& shape) {
    if (max_distance == 0) max_distance = std::max<Index>(1, shape.train_length / 4);
  }
};

/// clip(j - i, -k, k) + k for a distance i - j, rounded to the nearest whole number, halves away from zero: a row of a table with
/// 2k + 1 rows. Distances are compared as floats: a half between interpolated positions may be off by a rounding in double.
template <typename T>
Index clipped_row(T distance, Index k) {
  constexpr float below_half =
      0.5F - std::numeric_limits<float>::epsilon() / 4;  // 0.5 would also round it up
  const T limit = static_cast<T>(k);
  const auto clipped = static_cast<float>(std::clamp(-distance, -limit, limit));
  return static_cast<Index>(clipped + std::copysign(below_half, clipped)) + k;
}

/// Whether all neighbouring positions are equally far apart.
bool evenly_spaced(std::span<const double> positions);

/// The rows row(p_i - p_j) of a table of relative positions that a sequence at these positions reads.
template <typename Row>
std::set<Index> rows_of_distances(std::span<const double> positions, bool causal, const Row& row) {
  const std::size_t count = positions.size();
  const bool even = evenly_spaced(positions);  // then the first and the last query have all distances
  std::set<Index> rows;
  for (std::size_t i = 0; i < count; ++i) {
    if (even && i > 0 && i + 1 < count) continue;
    for (const double key : positions.first(causal ? i + 1 : count)) rows.insert(row(positions[i] - key));
  }
  return rows;
}

/// The signed distances p_i - p_j of a block: one for each of its rows + keys - 1 diagonals if positions are evenly spaced (they
/// usually are), else one for each pair. The caller need not know which: it computes a bias for each element of distances();
/// add() adds it to the scores, and sum() brings their gradients back.
template <typename T>
class ScoreDistances {
 public:
  /// Lives in the memory of `pass`, in the frame in which it was made.
  ScoreDistances(const ScoreBlock<T>& block, Pass<T>& pass);

  /// (1, n): positive where the key is to the left of the query.
  View<const T> distances() const { return distances_; }
  Index size() const { return distances_.cols; }
  /// Whether each key is at a whole distance, one less than the key before it.
  bool unit_steps() const {
    return even_ && size() > 1 && distances_(0, 0) - distances_(0, 1) == T(1) &&
           distances_(0, 0) == std::floor(distances_(0, 0));
  }
  /// Index in distances() of row r and key 0; the other keys follow.
  Index first_of(Index row) const { return even_ ? block_.query.rows - 1 - row : row * block_.key.rows; }

  /// scores(i, j) += bias at the distance of i and j, for all j that i sees. bias: (1, n).
  void add(View<const T> bias, View<T> scores) const;
  /// The gradient of add(): overwrites d_bias (1, n) by the sums of d_scores over all pairs at each distance.
  void sum(View<const T> d_scores, View<T> d_bias) const;

 private:
  const ScoreBlock<T>& block_;
  bool even_;
  View<T> distances_;
};

}  // namespace ordinal
