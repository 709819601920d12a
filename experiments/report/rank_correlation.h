// How far two orders of the same rows agree.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "experiments/report/statistics.h"

namespace ordinal::experiments {

/// Kendall's τ-b of two series of equal length (Kendall 1945): with C pairs that both order alike, D that they order
/// differently, and T_x, T_y pairs that x or y ties,
///   τ = (C - D) / √((N - T_x)(N - T_y)),  N all pairs.
/// 1: the same order, -1: the reverse. NaN for fewer than two values, or if all of one series are equal. Throws
/// std::invalid_argument for series of different lengths.
double kendall_tau(std::span<const double> x, std::span<const double> y);

/// The scores of one row by seed; NaN where a seed has none.
using SeedScores = std::vector<double>;

/// τ of `published` with the means over seeds of `measured`, and the 95 % interval over choices of seeds: the central
/// part of 2,000 bootstrap samples of them, drawn together for all rows. Rows without a score in a sample are left out
/// of it. n is the number of rows that count; the interval is NaN for fewer than two seeds.
Summary tau_over_seeds(std::span<const double> published, const std::vector<SeedScores>& measured);

}  // namespace ordinal::experiments
