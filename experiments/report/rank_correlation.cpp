#include "experiments/report/rank_correlation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "framework/core/random.h"

namespace ordinal::experiments {
namespace {

constexpr std::uint32_t samples = 2000;

double sign(double value) { return value > 0.0 ? 1.0 : value < 0.0 ? -1.0 : 0.0; }

double mean_of(const SeedScores& scores, std::span<const std::size_t> seeds) {
  double sum = 0.0;
  double count = 0.0;
  for (const std::size_t seed : seeds) {
    if (std::isnan(scores[seed])) continue;
    sum += scores[seed];
    count += 1.0;
  }
  return count > 0.0 ? sum / count : not_a_number;
}

// τ over the rows that have a score from any of these seeds, and how many there are.
std::pair<double, Index> tau_of(std::span<const double> published, const std::vector<SeedScores>& measured,
                                std::span<const std::size_t> seeds) {
  std::vector<double> theirs;
  std::vector<double> ours;
  for (std::size_t row = 0; row < measured.size(); ++row) {
    const double mean = mean_of(measured[row], seeds);
    if (std::isnan(mean) || std::isnan(published[row])) continue;
    theirs.push_back(published[row]);
    ours.push_back(mean);
  }
  return {kendall_tau(theirs, ours), std::ssize(ours)};
}

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

Summary tau_over_seeds(std::span<const double> published, const std::vector<SeedScores>& measured) {
  Summary summary;
  std::vector<std::size_t> seeds(measured.empty() ? 0 : measured.front().size());
  for (std::size_t s = 0; s < seeds.size(); ++s) seeds[s] = s;
  std::tie(summary.mean, summary.n) = tau_of(published, measured, seeds);
  if (seeds.size() < 2) return summary;
  std::vector<double> taus;
  for (std::uint32_t sample = 0; sample < samples; ++sample) {
    Random random({.purpose = hash_name("bootstrap"), .example = sample});
    std::vector<std::size_t> drawn(seeds.size());
    for (std::size_t& seed : drawn) seed = random.below(static_cast<std::uint32_t>(seeds.size()));
    const double tau = tau_of(published, measured, drawn).first;
    if (!std::isnan(tau)) taus.push_back(tau);
  }
  if (taus.empty()) return summary;
  std::ranges::sort(taus);
  summary.low = taus[taus.size() / 40];
  summary.high = taus[taus.size() - 1 - taus.size() / 40];
  return summary;
}

}  // namespace ordinal::experiments
