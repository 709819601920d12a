#include "framework/positional/score_distances.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "framework/math/vector_math.h"

namespace ordinal {

bool evenly_spaced(std::span<const double> positions) {
  if (positions.size() < 3) return true;
  const double step = positions[1] - positions[0];
  const double tolerance = 1e-12 * (1.0 + std::abs(positions.back()));
  for (std::size_t t = 2; t < positions.size(); ++t) {
    if (std::abs(positions[t] - positions[0] - static_cast<double>(t) * step) > tolerance) return false;
  }
  return true;
}

namespace {

// Diagonals are counted from first_query, so a query at another position would get the wrong distances.
template <typename T>
void check_positions(const ScoreBlock<T>& block) {
  const auto& query = block.query_positions;
  const auto& key = block.key_positions;
  if (std::ssize(query) != block.query.rows || std::ssize(key) != block.key.rows || block.first_query < 0 ||
      block.first_query + block.query.rows > block.key.rows) {
    throw std::invalid_argument(
        fmt::format("ScoreDistances: got {} and {} positions of {} queries from key {} on and {} keys, "
                    "expected one for each, and the queries among the keys",
                    query.size(), key.size(), block.query.rows, block.first_query, block.key.rows));
  }
  const auto [own, its_key] =
      std::ranges::mismatch(query, key.subspan(static_cast<std::size_t>(block.first_query)));
  if (own == query.end()) return;
  throw std::invalid_argument(
      fmt::format("ScoreDistances: got query {} at position {}, expected {}, where its key stands",
                  own - query.begin(), *own, *its_key));
}

}  // namespace

template <typename T>
ScoreDistances<T>::ScoreDistances(const ScoreBlock<T>& block, Pass<T>& pass)
    : block_(block), even_(evenly_spaced(block.key_positions)) {
  check_positions(block);
  const auto& query = block.query_positions;
  const auto& key = block.key_positions;
  if (even_) {
    // Element m is the diagonal j - i + rows - 1 = m: row 0 meets it at key m - rows + 1.
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
  for (const double i : query) {
    for (const double j : key) *out++ = static_cast<T>(i - j);
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
