// The distributions are Boost.Math's (header-only); the sums are two-pass, so that a small spread around a large mean keeps
// its digits.
#include "experiments/results/statistics.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <numeric>

namespace ordinal::experiments {
namespace {

constexpr double family_level = 0.05;
constexpr double rounding = 1e-12;

// 2 · P(Bin(n, 1/2) <= k), at most 1.
double both_tails(Index n, Index k) {
  const boost::math::binomial fair(static_cast<double>(n), 0.5);
  return std::min(1.0, 2.0 * boost::math::cdf(fair, static_cast<double>(k)));
}

}  // namespace

Interval clopper_pearson(Index successes, Index trials) {
  using Binomial = boost::math::binomial;
  const auto n = static_cast<double>(trials);
  const auto k = static_cast<double>(successes);
  return {successes == 0 ? 0.0 : Binomial::find_lower_bound_on_p(n, k, 0.025),
          successes == trials ? 1.0 : Binomial::find_upper_bound_on_p(n, k, 0.025)};
}

Interval median_interval(std::vector<double> values, double level) {
  const Index n = std::ssize(values);
  Index outside = 0;  // j - 1, values beyond each end
  while (outside <= n && both_tails(n, outside) <= level) ++outside;
  if (outside == 0) return {};
  std::ranges::sort(values);
  return {values[static_cast<std::size_t>(outside - 1)], values[static_cast<std::size_t>(n - outside)]};
}

Summary summarize(std::span<const double> values) {
  Summary summary{.n = std::ssize(values)};
  if (values.empty()) return summary;
  const double n = static_cast<double>(values.size());
  summary.mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  summary.lowest = std::ranges::min(values);
  summary.highest = std::ranges::max(values);
  summary.median = median_interval({values.begin(), values.end()});
  if (values.size() < 2) return summary;
  double squares = 0.0;
  for (const double value : values) squares += (value - summary.mean) * (value - summary.mean);
  summary.sd = std::sqrt(squares / (n - 1.0));
  return summary;
}

double Comparison::p() const {
  return std::min(1.0, static_cast<double>(looks) * both_tails(n(), n() - std::max(ahead, behind)));
}

double Comparison::median() const {
  if (differences.empty()) return not_a_number;
  std::vector<double> sorted = differences;
  std::ranges::sort(sorted);
  return 0.5 * (sorted[(sorted.size() - 1) / 2] + sorted[sorted.size() / 2]);
}

Comparison Comparison::turned() const {
  Comparison other = *this;
  std::swap(other.ahead, other.behind);
  other.interval = {-interval.high, -interval.low};
  for (double& difference : other.differences) difference = -difference;
  if (decision != Decision::undecided)
    other.decision = decision == Decision::holds ? Decision::fails : Decision::holds;
  return other;
}

Comparison compare(std::vector<double> differences, double margin) {
  const auto count = [&](double sign) {
    return std::ranges::count_if(differences, [&](double d) { return sign * (d - margin) > rounding; });
  };
  return {.differences = differences, .ahead = count(1.0), .behind = count(-1.0)};
}

void decide(std::span<Comparison* const> family) {
  std::vector<Comparison*> sorted(family.begin(), family.end());
  std::ranges::stable_sort(sorted, {}, &Comparison::p);
  double level = 0.0;
  bool all_decided = true;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    Comparison& one = *sorted[i];
    const bool is_tied = i > 0 && one.p() == sorted[i - 1]->p();
    if (all_decided && !is_tied) level = family_level / static_cast<double>(sorted.size() - i);
    one.interval = median_interval(one.differences, level / static_cast<double>(one.looks));
    all_decided = all_decided && one.p() <= level;
    if (all_decided) one.decision = one.ahead > one.behind ? Decision::holds : Decision::fails;
  }
}

Index seeds_to_decide(Index comparisons) {
  Index n = 1;
  while (both_tails(n, 0) > family_level / static_cast<double>(comparisons)) ++n;
  return n;
}

Index seeds_to_decide(const Comparison& undecided, Index comparisons) {
  const double level = family_level / static_cast<double>(comparisons * undecided.looks);
  const Index against = undecided.n() - std::max(undecided.ahead, undecided.behind);
  for (Index n = undecided.n() + 1; n <= 1000; ++n)
    if (both_tails(n, (against * n + undecided.n() / 2) / undecided.n()) <= level) return n;
  return 0;
}

}  // namespace ordinal::experiments
