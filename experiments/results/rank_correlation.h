// How far two orders of the same rows agree.
#pragma once

#include <span>

#include "experiments/results/statistics.h"

namespace ordinal::experiments {

/// Kendall's τ-b of two series of equal length (Kendall 1945): with C pairs that both order alike, D that they order
/// differently, and T_x, T_y pairs that x or y ties,
///   τ = (C - D) / √((N - T_x)(N - T_y)),  N all pairs.
/// 1: the same order, -1: the reverse. NaN for fewer than two values, or if all of one series are equal. Throws
/// std::invalid_argument for series of different lengths.
double kendall_tau(std::span<const double> x, std::span<const double> y);

}  // namespace ordinal::experiments
