// Student's t comes from Boost.Math (header-only); the sums are two-pass, so that a small spread around a
// large mean keeps its digits.
#include "experiments/results/statistics.h"

#include <fmt/format.h>

#include <algorithm>
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

// Sets the interval and the decision of a two-sided test at `level`.
void decide(PairedComparison& pairs, double level) {
  const double n = static_cast<double>(pairs.n);
  const double margin = student_t_quantile(1.0 - level / 2.0, n - 1.0) * pairs.sd / std::sqrt(n);
  pairs.low = pairs.effect - margin;
  pairs.high = pairs.effect + margin;
  pairs.decision = Decision::undecided;
  if (pairs.low > 0.0) pairs.decision = Decision::holds;
  if (pairs.high < 0.0) pairs.decision = Decision::fails;
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
  PairedComparison result{.n = summary.n, .effect = summary.mean, .sd = summary.sd};
  if (summary.n < 2 || !std::isfinite(summary.mean)) return result;
  result.p = two_sided_p(summary);
  decide(result, 0.05);
  return result;
}

void correct(std::span<PairedComparison* const> comparisons, Index further) {
  std::vector<PairedComparison*> sorted;
  for (PairedComparison* pairs : comparisons) {
    if (std::isfinite(pairs->p)) sorted.push_back(pairs);
  }
  std::ranges::stable_sort(sorted, {}, [](const PairedComparison* pairs) { return pairs->p; });
  auto left = static_cast<double>(std::ssize(sorted) + further);
  bool all_decided = true;
  for (PairedComparison* pairs : sorted) {
    decide(*pairs, 0.05 / left);
    all_decided = all_decided && pairs->decision != Decision::undecided;
    if (all_decided) left -= 1.0;
  }
}

bool equivalent(const PairedComparison& pairs, double margin, Index tests) {
  if (pairs.n < 2 || !std::isfinite(pairs.sd)) return false;
  const double half =
      student_t_quantile(1.0 - 0.05 / static_cast<double>(tests), static_cast<double>(pairs.n - 1)) *
      pairs.sd / std::sqrt(static_cast<double>(pairs.n));
  return std::abs(pairs.effect) + half < margin;
}

}  // namespace ordinal::experiments
