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

// Standardises activations by the mean and the standard deviation of each column of x.
class Scale {
 public:
  explicit Scale(const View<const double>& x)
      : mean_(static_cast<std::size_t>(x.cols)), deviation_(mean_.size()) {
    const auto n = static_cast<double>(x.rows);
    for (std::size_t c = 0; c < mean_.size(); ++c) {
      for (Index r = 0; r < x.rows; ++r) mean_[c] += x.row(r)[c] / n;
      double variance = 0.0;
      for (Index r = 0; r < x.rows; ++r) variance += std::pow(x.row(r)[c] - mean_[c], 2) / n;
      deviation_[c] = variance > 0.0 ? std::sqrt(variance) : 1.0;
    }
  }

  std::vector<double> standardised(const double* row) const {
    std::vector<double> result(mean_.size());
    for (std::size_t c = 0; c < result.size(); ++c) result[c] = (row[c] - mean_[c]) / deviation_[c];
    return result;
  }

 private:
  std::vector<double> mean_;
  std::vector<double> deviation_;
};

// Solves A w = b in place, by elimination: a positive definite A needs no pivots.
void solve(View<double> a, std::vector<double>& b) {
  for (std::size_t j = 0; j < b.size(); ++j) {
    const double* pivot = a.row(static_cast<Index>(j));
    for (std::size_t i = 0; i < b.size(); ++i) {
      double* row = a.row(static_cast<Index>(i));
      const double factor = i == j ? 0.0 : row[j] / pivot[j];
      for (std::size_t k = j; k < b.size(); ++k) row[k] -= factor * pivot[k];
      b[i] -= factor * b[j];
    }
  }
  for (std::size_t j = 0; j < b.size(); ++j) b[j] /= a.row(static_cast<Index>(j))[j];
}

// w for standardised activations: (XᵀX/n + ridge I) w = Xᵀ(p - p̄)/n.
std::vector<double> fitted_weights(const ProbeSample& sample, const Scale& scale, double ridge) {
  const View<const double> x = sample.activations.view();
  const auto n = static_cast<double>(x.rows);
  const double mean = mean_of(sample.positions);
  Tensor<double> moments({x.cols, x.cols});
  std::vector<double> weights(static_cast<std::size_t>(x.cols));
  for (Index r = 0; r < x.rows; ++r) {
    const std::vector<double> row = scale.standardised(x.row(r));
    const double target = sample.positions[static_cast<std::size_t>(r)] - mean;
    for (std::size_t i = 0; i < row.size(); ++i) {
      weights[i] += row[i] * target / n;
      double* moment = moments.view().row(static_cast<Index>(i));
      for (std::size_t j = 0; j < row.size(); ++j) moment[j] += row[i] * row[j] / n;
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
  const Scale scale(fitted.activations.view());
  const std::vector<double> weights = fitted_weights(fitted, scale, ridge);
  const double intercept = mean_of(fitted.positions);
  const double mean = mean_of(held_out.positions);
  double residual = 0.0;
  double total = 0.0;
  for (std::size_t r = 0; r < held_out.positions.size(); ++r) {
    const auto row = scale.standardised(held_out.activations.view().row(static_cast<Index>(r)));
    const double read = std::inner_product(row.begin(), row.end(), weights.begin(), intercept);
    residual += std::pow(held_out.positions[r] - read, 2);
    total += std::pow(held_out.positions[r] - mean, 2);
  }
  return total > 0.0 ? 1.0 - residual / total : 0.0;
}

}  // namespace ordinal::experiments
