// Student's t comes from Boost.Math (header-only); the sums are two-pass, so that a small spread around a
// large mean keeps its digits.
#include "experiments/report/statistics.h"

#include <fmt/format.h>

#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace ordinal::experiments {
namespace {

double two_sided_p(const Summary& differences) {
  if (differences.sd == 0.0) return differences.mean == 0.0 ? 1.0 : 0.0;
  const double n = static_cast<double>(differences.n);
  const double t = std::abs(differences.mean) / (differences.sd / std::sqrt(n));
  return 2.0 * boost::math::cdf(boost::math::complement(boost::math::students_t(n - 1.0), t));
}

}  // namespace

double student_t_quantile(double probability, double degrees) {
  if (!(probability > 0.0 && probability < 1.0 && degrees > 0.0)) {
    throw std::invalid_argument(
        fmt::format("student_t_quantile: got probability {} and {} degrees of freedom, expected a "
                    "probability inside (0, 1) and degrees above 0",
                    probability, degrees));
  }
  return boost::math::quantile(boost::math::students_t(degrees), probability);
}

Summary summarize(std::span<const double> values) {
  Summary summary;
  summary.n = static_cast<Index>(values.size());
  if (values.empty()) return summary;
  const double n = static_cast<double>(values.size());
  summary.mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  if (values.size() < 2) return summary;

  double squares = 0.0;
  for (const double value : values) squares += (value - summary.mean) * (value - summary.mean);
  summary.sd = std::sqrt(squares / (n - 1.0));
  const double margin = student_t_quantile(0.975, n - 1.0) * summary.sd / std::sqrt(n);
  summary.low = summary.mean - margin;
  summary.high = summary.mean + margin;
  return summary;
}

PairedComparison compare_pairs(std::span<const double> left, std::span<const double> right) {
  if (left.size() != right.size()) {
    throw std::invalid_argument(fmt::format(
        "compare_pairs: got {} values on the left and {} on the right, expected one pair per seed",
        left.size(), right.size()));
  }
  std::vector<double> differences(left.size());
  for (std::size_t i = 0; i < left.size(); ++i) differences[i] = left[i] - right[i];

  const Summary summary = summarize(differences);
  PairedComparison result{summary.n,    summary.mean, summary.low,
                          summary.high, not_a_number, Decision::undecided};
  if (summary.n < 2 || !std::isfinite(summary.mean)) return result;
  result.p = two_sided_p(summary);
  if (result.low > 0.0) result.decision = Decision::holds;
  if (result.high < 0.0) result.decision = Decision::fails;
  return result;
}

}  // namespace ordinal::experiments
