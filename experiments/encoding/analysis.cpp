#include "experiments/encoding/analysis.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <unordered_map>

#include "framework/math/blas.h"
#include "framework/math/vector_math.h"

namespace ordinal::experiments {
namespace {

double distance(const double* a, const double* b, Index n) {
  double total = 0.0;
  for (Index i = 0; i < n; ++i) total += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(total);
}

// NaN if one of them is; std::max() would pass over it.
double larger(double a, double b) { return std::isnan(a) || b < a ? a : b; }

// Differences that are unequal only because of rounding get the same key: 1/3 and 1 - 2/3.
std::int64_t distance_key(double difference) {
  constexpr double steps = 1 << 20;  // of one position
  return std::llround(difference * steps);
}

// Calls visit(row, j) for each query and each key j that it sees, in values (heads·L, L).
void for_each_pair(View<const double> values, bool causal, const auto& visit) {
  for (Index row = 0; row < values.rows; ++row) {
    const Index visible = causal ? row % values.cols + 1 : values.cols;
    for (Index j = 0; j < visible; ++j) visit(row, j);
  }
}

}  // namespace

// With rows p = (p1, p2) and q = (q1, q2) of a pair k positions apart, the rotation by θ that minimises
// Σ ‖R p - q‖² has tan θ = Σ (p2 q1 - p1 q2) / Σ (p·q).
Tensor<double> relative_position_matrix(const Tensor<double>& pe, Index offset) {
  const View<const double> rows = pe.view();
  Tensor<double> matrix({rows.cols, rows.cols});
  for (Index i = 0; i < rows.cols; i += 2) {
    double along = 0.0;
    double across = 0.0;
    for (Index pos = 0; pos + offset < rows.rows; ++pos) {
      const double* p = rows.row(pos) + i;
      const double* q = rows.row(pos + offset) + i;
      along += p[0] * q[0] + p[1] * q[1];
      across += p[1] * q[0] - p[0] * q[1];
    }
    const double angle = std::atan2(across, along);
    matrix(i, i) = matrix(i + 1, i + 1) = std::cos(angle);
    matrix(i, i + 1) = std::sin(angle);
    matrix(i + 1, i) = -std::sin(angle);
  }
  return matrix;
}

double reconstruction_error(const Tensor<double>& matrix, const Tensor<double>& pe, Index offset) {
  const View<const double> rows = pe.view();
  const Index count = rows.rows - offset;
  Tensor<double> moved({count, rows.cols});
  multiply<double>(rows.row_range(0, count), transposed(matrix.view()), moved.view());
  double largest = 0.0;
  for (Index pos = 0; pos < count; ++pos) {
    largest = larger(largest, distance(moved.view().row(pos), rows.row(pos + offset), rows.cols));
  }
  return largest;
}

Tensor<double> dot_product_distance(const Tensor<double>& pe) {
  const View<const double> rows = pe.view();
  Tensor<double> gram({rows.rows, rows.rows});
  multiply<double>(rows, transposed(rows), gram.view());
  return gram;
}

ScoreStatistics score_statistics(View<const double> scores, std::span<const double> positions, bool causal) {
  struct Same {
    double sum = 0.0;
    Index pairs = 0;
  };
  const auto key = [&](Index i, Index j) {
    return distance_key(positions[static_cast<std::size_t>(i)] - positions[static_cast<std::size_t>(j)]);
  };
  ScoreStatistics s{.smallest = scores(0, 0), .largest = scores(0, 0)};
  double largest = 0.0;  // deviation
  double spread = 0.0;   // from the first score of the same head
  bool compared = false;
  for (Index first = 0; first < scores.rows; first += scores.cols) {
    const View<const double> head = scores.row_range(first, scores.cols);
    std::unordered_map<std::int64_t, Same> distances;
    for_each_pair(head, causal, [&](Index i, Index j) {
      Same& same = distances[key(i, j)];
      same.sum += head(i, j);
      ++same.pairs;
    });
    for_each_pair(head, causal, [&](Index i, Index j) {
      const double score = head(i, j);
      const Same& same = distances[key(i, j)];
      largest = larger(largest, std::abs(score - same.sum / static_cast<double>(same.pairs)));
      compared = compared || (same.pairs > 1 && key(i, j) != 0);
      spread = larger(spread, std::abs(score - head(0, 0)));
      s.smallest = std::min(s.smallest, score);
      s.largest = std::max(s.largest, score);
    });
  }
  if (compared) s.deviation = largest;
  const double rounding = 1e-9 * std::max({1.0, std::abs(s.smallest), std::abs(s.largest)});
  s.depends_on_distance_alone = s.deviation && *s.deviation <= rounding;
  s.is_constant = spread <= rounding;
  return s;
}

std::array<double, 4> term_sizes(const Tensor<double>& terms, bool causal) {
  const Index rows = terms.view().rows / 4;
  std::array<double, 4> sizes{};
  for (Index term = 0; term < 4; ++term) {
    const View<const double> scores = terms.view().row_range(term * rows, rows);
    double squares = 0.0;
    double pairs = 0.0;
    for_each_pair(scores, causal, [&](Index row, Index j) {
      squares += scores(row, j) * scores(row, j);
      pairs += 1.0;
    });
    sizes[static_cast<std::size_t>(term)] = std::sqrt(squares / pairs);
  }
  return sizes;
}

Tensor<double> unit_rows(const Tensor<double>& pe) {
  Tensor<double> rows = pe;
  for (Index i = 0; i < rows.view().rows; ++i) {
    double* row = rows.view().row(i);
    const double squared = vmath::dot(row, row, rows.view().cols);
    if (squared > 0.0) vmath::scale(1.0 / std::sqrt(squared), row, rows.view().cols);
  }
  return rows;
}

Tensor<double> cosine_similarity(const Tensor<double>& pe) { return dot_product_distance(unit_rows(pe)); }

EncodingStatistics encoding_statistics(const Tensor<double>& pe) {
  const View<const double> rows = pe.view();
  EncodingStatistics statistics;
  if (rows.size() == 0) return statistics;
  const auto count = static_cast<double>(rows.size());
  statistics.smallest = *std::ranges::min_element(pe.span());
  statistics.largest = *std::ranges::max_element(pe.span());
  statistics.mean = vmath::sum(pe.data(), pe.size()) / count;
  for (Index pos = 0; pos < rows.rows; ++pos) {
    statistics.norms.push_back(std::sqrt(vmath::dot(rows.row(pos), rows.row(pos), rows.cols)));
  }
  for (const double value : pe.span()) statistics.variance += std::pow(value - statistics.mean, 2) / count;
  return statistics;
}

Uniqueness uniqueness(const Tensor<double>& pe) {
  const View<const double> rows = pe.view();
  Uniqueness closest{std::numeric_limits<double>::infinity(), 0, 0};
  for (Index i = 0; i < rows.rows; ++i) {
    for (Index j = i + 1; j < rows.rows; ++j) {
      const double between = distance(rows.row(i), rows.row(j), rows.cols);
      if (between < closest.distance) closest = {between, i, j};
    }
  }
  return closest;
}

}  // namespace ordinal::experiments
