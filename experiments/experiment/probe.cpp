#include "experiments/experiment/probe.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <stdexcept>

namespace ordinal::experiments {
namespace {

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Mean and standard deviation of each column, which activations are standardised by.
struct Scale {
  explicit Scale(const Tensor<double>& x) : mean(columns(x)), deviation(columns(x)) {
    const View<const double> rows = x.view();
    const auto n = static_cast<double>(rows.rows);
    for (Index r = 0; r < rows.rows; ++r) {
      for (std::size_t c = 0; c < mean.size(); ++c) mean[c] += rows.row(r)[c] / n;
    }
    for (Index r = 0; r < rows.rows; ++r) {
      for (std::size_t c = 0; c < mean.size(); ++c) {
        deviation[c] += (rows.row(r)[c] - mean[c]) * (rows.row(r)[c] - mean[c]) / n;
      }
    }
    for (double& d : deviation) d = d > 0.0 ? std::sqrt(d) : 1.0;
  }
  static std::size_t columns(const Tensor<double>& x) { return static_cast<std::size_t>(x.view().cols); }
  double apply(double value, std::size_t column) const { return (value - mean[column]) / deviation[column]; }

  std::vector<double> mean;
  std::vector<double> deviation;
};

// Solves A w = b in place for a symmetric positive definite A: Cholesky's A = L Lᵀ, then two substitutions.
void solve(View<double> a, std::vector<double>& b) {
  const Index n = a.rows;
  for (Index j = 0; j < n; ++j) {
    for (Index i = j; i < n; ++i) {
      const double rest = a(i, j) - std::inner_product(a.row(i), a.row(i) + j, a.row(j), 0.0);
      a(i, j) = i == j ? std::sqrt(rest) : rest / a(j, j);
    }
  }
  for (Index i = 0; i < n; ++i) {
    auto& value = b[static_cast<std::size_t>(i)];
    value = (value - std::inner_product(a.row(i), a.row(i) + i, b.begin(), 0.0)) / a(i, i);
  }
  for (Index i = n - 1; i >= 0; --i) {
    auto& value = b[static_cast<std::size_t>(i)];
    for (Index k = i + 1; k < n; ++k) value -= a(k, i) * b[static_cast<std::size_t>(k)];
    value /= a(i, i);
  }
}

// w of the standardised activations: (XᵀX/n + ridge I) w = Xᵀ(p - p̄)/n.
std::vector<double> fitted_weights(const ProbeSample& sample, const Scale& scale, double ridge) {
  const View<const double> x = sample.activations.view();
  const auto n = static_cast<double>(x.rows);
  const double mean = mean_of(sample.positions);
  Tensor<double> moments({x.cols, x.cols});
  std::vector<double> weights(static_cast<std::size_t>(x.cols));
  std::vector<double> row(weights.size());
  for (Index r = 0; r < x.rows; ++r) {
    for (std::size_t c = 0; c < row.size(); ++c) row[c] = scale.apply(x.row(r)[c], c);
    const double target = sample.positions[static_cast<std::size_t>(r)] - mean;
    for (std::size_t i = 0; i < row.size(); ++i) {
      weights[i] += row[i] * target / n;
      for (std::size_t j = 0; j <= i; ++j)
        moments.view().row(static_cast<Index>(i))[j] += row[i] * row[j] / n;
    }
  }
  for (Index i = 0; i < x.cols; ++i) moments(i, i) += ridge;
  solve(moments.view(), weights);
  return weights;
}

void check(const ProbeSample& sample, Index columns) {
  const View<const double> x = sample.activations.view();
  if (x.rows < 1 || x.cols != columns || std::ssize(sample.positions) != x.rows) {
    throw std::invalid_argument(fmt::format(
        "position_probe: got activations {} and {} positions, expected (n, {}) and n, n at least 1",
        ordinal::to_string(sample.activations.shape()), sample.positions.size(), columns));
  }
}

}  // namespace

std::vector<double> attention_distances(const Tensor<double>& map) {
  const View<const double> a = map.view();
  if (a.rows != a.cols) {
    throw std::invalid_argument(
        fmt::format("attention_distances: got a map of shape {}, expected a square one",
                    ordinal::to_string(map.shape())));
  }
  std::vector<double> shares(static_cast<std::size_t>(a.rows));
  for (Index i = 0; i < a.rows; ++i) {
    for (Index j = 0; j < a.cols; ++j) {
      shares[static_cast<std::size_t>(std::abs(i - j))] += a(i, j) / static_cast<double>(a.rows);
    }
  }
  return shares;
}

double position_probe(const ProbeSample& fitted, const ProbeSample& held_out, double ridge) {
  const Index columns = fitted.activations.view().cols;
  check(fitted, columns);
  check(held_out, columns);
  const Scale scale(fitted.activations);
  const std::vector<double> weights = fitted_weights(fitted, scale, ridge);
  const double intercept = mean_of(fitted.positions);
  const double mean = mean_of(held_out.positions);
  double residual = 0.0;
  double total = 0.0;
  for (std::size_t r = 0; r < held_out.positions.size(); ++r) {
    double read = intercept;
    const double* x = held_out.activations.view().row(static_cast<Index>(r));
    for (std::size_t c = 0; c < weights.size(); ++c) read += weights[c] * scale.apply(x[c], c);
    residual += (held_out.positions[r] - read) * (held_out.positions[r] - read);
    total += (held_out.positions[r] - mean) * (held_out.positions[r] - mean);
  }
  return total > 0.0 ? 1.0 - residual / total : 0.0;
}

}  // namespace ordinal::experiments
