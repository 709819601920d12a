// Quantiles come from Boost.Math (header-only); the sums are two-pass, so that a small spread around a large mean keeps
// its digits.
#include "experiments/results/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace ordinal::experiments {
namespace {

bool is_spread(double mean, double sd) { return sd > 1e-12 * std::abs(mean); }

// The share of a decision's level that Student's t uses; below 1 where the sign test excludes little.
double share_of_level(Index n) { return std::min(1.0, static_cast<double>(n) / 5.0); }

double two_sided_p(const Summary& differences) {
  const double n = static_cast<double>(differences.n);
  const double t = std::abs(differences.mean) / (differences.sd / std::sqrt(n));
  const double p = 2.0 * boost::math::cdf(boost::math::complement(boost::math::students_t(n - 1.0), t));
  return std::min(1.0, p / share_of_level(differences.n));
}

// Half the width of Student's interval of a mean, at a two-sided `level`.
double half_width(Index n, double sd, double level) {
  const boost::math::students_t distribution(static_cast<double>(n - 1));
  return boost::math::quantile(distribution, 1.0 - level / 2.0) * sd / std::sqrt(static_cast<double>(n));
}

// Order statistics: as far from the ends as the sign test allows.
Interval typical_interval(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  const double n = static_cast<double>(values.size());
  const double sign_level = values.size() > 10 ? 0.05 : 0.11;
  std::size_t inside = 0;
  double probability = std::exp2(-n);  // of `inside` heads in n fair coin tosses
  for (double tail = probability;; ++inside) {
    probability *= (n - static_cast<double>(inside)) / static_cast<double>(inside + 1);
    tail += probability;
    if (2.0 * tail > sign_level) break;
  }
  return {sorted[inside], sorted[sorted.size() - 1 - inside]};
}

// mean ± half; for a bounded range, on the scale log x or log x / (1 - x), where `half` is divided by x or x (1 - x).
Interval around(double mean, double half, Range range) {
  if (range == Range::positive && mean > 0.0)
    return {mean * std::exp(-half / mean), mean * std::exp(half / mean)};
  if (range == Range::fraction && mean > 0.0 && mean < 1.0) {
    const double odds = mean / (1.0 - mean);
    const double step = std::exp(half / (mean * (1.0 - mean)));
    return {odds / (odds + step), odds / (odds + 1.0 / step)};
  }
  return {mean - half, mean + half};
}

Interval interval_at(const PairedComparison& pairs, double level) {
  if (pairs.successes) {
    const Interval share = clopper_pearson(*pairs.successes, pairs.n, level);
    return {share.low - 0.5, share.high - 0.5};
  }
  const double half = half_width(pairs.n, pairs.sd, share_of_level(pairs.n) * level);
  return {std::fmin(pairs.effect - half, pairs.typical.low),
          std::fmax(pairs.effect + half, pairs.typical.high)};
}

// Sets the interval and the decision of a two-sided test at `level`.
void decide(PairedComparison& pairs, double level) {
  const Interval interval = interval_at(pairs, level);
  pairs.low = std::max(interval.low, -pairs.most);
  pairs.high = std::min(interval.high, pairs.most);
  pairs.decision = Decision::undecided;
  if (pairs.low > 0.0) pairs.decision = Decision::holds;
  if (pairs.high < 0.0) pairs.decision = Decision::fails;
}

}  // namespace

Interval clopper_pearson(Index successes, Index trials, double level) {
  if (successes < 0 || successes > trials) {
    throw std::invalid_argument(
        fmt::format("clopper_pearson: got {} successes of {} trials", successes, trials));
  }
  using Binomial = boost::math::binomial;
  const auto n = static_cast<double>(trials);
  const auto k = static_cast<double>(successes);
  return {successes == 0 ? 0.0 : Binomial::find_lower_bound_on_p(n, k, level / 2.0),
          successes == trials ? 1.0 : Binomial::find_upper_bound_on_p(n, k, level / 2.0)};
}

Summary summarize(std::span<const double> values, Range range) {
  Summary summary;
  summary.n = static_cast<Index>(values.size());
  if (values.empty()) return summary;
  const double n = static_cast<double>(values.size());
  summary.mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  if (values.size() < 2) return summary;

  double squares = 0.0;
  for (const double value : values) squares += (value - summary.mean) * (value - summary.mean);
  summary.sd = std::sqrt(squares / (n - 1.0));
  if (summary.n < fewest_for_intervals || !is_spread(summary.mean, summary.sd)) return summary;
  const Interval of_mean = around(summary.mean, half_width(summary.n, summary.sd, 0.05), range);
  const Interval typical = typical_interval(values);
  summary.low = std::min(of_mean.low, typical.low);
  summary.high = std::max(of_mean.high, typical.high);
  return summary;
}

bool PairedComparison::has_no_spread() const { return !successes && n > 1 && !is_spread(effect, sd); }

PairedComparison compare_pairs(std::span<const double> left, std::span<const double> right, double most) {
  if (left.size() != right.size()) {
    throw std::invalid_argument(fmt::format(
        "compare_pairs: got {} values on the left and {} on the right, expected one pair per seed",
        left.size(), right.size()));
  }
  std::vector<double> differences(left.size());
  for (std::size_t i = 0; i < left.size(); ++i) differences[i] = left[i] - right[i];

  const Summary summary = summarize(differences);
  PairedComparison result{.n = summary.n, .effect = summary.mean, .sd = summary.sd, .most = most};
  if (summary.n < fewest_for_intervals || !std::isfinite(summary.mean) || result.has_no_spread())
    return result;
  result.typical = typical_interval(differences);
  result.p = two_sided_p(summary);
  decide(result, 0.05);
  return result;
}

PairedComparison compare_with_half(Index successes, Index trials) {
  PairedComparison result{.n = trials, .successes = successes};
  decide(result, 0.05);
  if (trials == 0) return result;
  const boost::math::binomial fair(static_cast<double>(trials), 0.5);
  const auto rarer = static_cast<double>(std::min(successes, trials - successes));
  result.effect = static_cast<double>(successes) / static_cast<double>(trials) - 0.5;
  result.p = std::min(1.0, 2.0 * boost::math::cdf(fair, rarer));
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
  if (pairs.n < fewest_for_intervals || !std::isfinite(pairs.sd) || pairs.has_no_spread()) return false;
  const double half =
      half_width(pairs.n, pairs.sd, share_of_level(pairs.n) * 0.1 / static_cast<double>(tests));
  return std::fmin(pairs.effect - half, pairs.typical.low) > -margin &&
         std::fmax(pairs.effect + half, pairs.typical.high) < margin;
}

}  // namespace ordinal::experiments
