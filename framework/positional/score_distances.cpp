#include "framework/positional/score_distances.h"

#include <algorithm>
#include <cmath>

#include "framework/math/vector_math.h"

namespace ordinal {

const Stretch& stretch_of(const Positions& positions) {
  static const Stretch none;
  return positions.stretch() ? *positions.stretch() : none;
}

bool evenly_spaced(std::span<const double> positions) {
  if (positions.size() < 3) return true;
  const double step = positions[1] - positions[0];
  const double tolerance = 1e-12 * (1.0 + std::abs(positions.back()));
  for (std::size_t t = 2; t < positions.size(); ++t) {
    if (std::abs(positions[t] - positions[0] - static_cast<double>(t) * step) > tolerance) return false;
  }
  return true;
}

// In an even block, element m is the diagonal j - i + rows - 1 = m: row 0 meets it at key m - rows + 1.
template <typename T>
ScoreDistances<T>::ScoreDistances(const ScoreBlock<T>& block, Pass<T>& pass) : block_(block) {
  const auto& key = block.key_positions;
  const FarDistances& far = stretch_of(pass.run().positions).far;
  even_ = evenly_spaced(key) && !far.contains(key.back() - key.front());
  if (even_) {
    const double step = key.size() > 1 ? key[1] - key[0] : 0.0;
    distances_ = pass.allocate(1, block.query.rows + block.key.rows - 1);
    for (Index m = 0; m < distances_.cols; ++m) {
      const Index tokens = block.first_query + block.query.rows - 1 - m;
      distances_(0, m) = static_cast<T>(static_cast<double>(tokens) * step);
    }
    return;
  }
  distances_ = pass.allocate(1, block.query.rows * block.key.rows);
  T* out = distances_.data;
  for (Index r = 0; r < block.query.rows; ++r) {
    const double i = key[static_cast<std::size_t>(block.first_query + r)];
    for (const double j : key) *out++ = static_cast<T>(far.distance(i, j));
  }
}

template <typename T>
void ScoreDistances<T>::add(View<const T> bias, View<T> scores) const {
  for (Index r = 0; r < scores.rows; ++r) {
    vmath::add(scores.row(r), bias.data + first_of(r), scores.row(r), block_.visible(r));
  }
}

template <typename T>
void ScoreDistances<T>::sum(View<const T> d_scores, View<T> d_bias) const {
  std::fill_n(d_bias.data, d_bias.cols, T(0));
  for (Index r = 0; r < d_scores.rows; ++r) {
    T* total = d_bias.data + first_of(r);
    vmath::add(d_scores.row(r), total, total, block_.visible(r));
  }
}

ORDINAL_INSTANTIATE(ScoreDistances);

}  // namespace ordinal
