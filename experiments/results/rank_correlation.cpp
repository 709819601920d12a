#include "experiments/results/rank_correlation.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

namespace ordinal::experiments {
namespace {

double sign(double value) { return value > 0.0 ? 1.0 : value < 0.0 ? -1.0 : 0.0; }

}  // namespace

double kendall_tau(std::span<const double> x, std::span<const double> y) {
  if (x.size() != y.size()) {
    throw std::invalid_argument(
        fmt::format("kendall_tau: got {} and {} values, expected as many of each", x.size(), y.size()));
  }
  double agreement = 0.0;
  double untied_x = 0.0;
  double untied_y = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double dx = sign(x[i] - x[j]);
      const double dy = sign(y[i] - y[j]);
      agreement += dx * dy;
      untied_x += dx * dx;
      untied_y += dy * dy;
    }
  }
  return untied_x * untied_y > 0.0 ? agreement / std::sqrt(untied_x * untied_y) : not_a_number;
}

}  // namespace ordinal::experiments
