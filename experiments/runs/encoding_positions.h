// The settings encoding.positions and encoding.offsets: the positions at which an encoding is drawn, and the
// offsets k of its matrices M_k.
#pragma once

#include <span>
#include <vector>

#include "experiments/settings/settings.h"
#include "framework/positional/position_scheme.h"

namespace ordinal::experiments {

/// encoding.positions; empty if it is. Throws ConfigError for what is not a real number of at most 1e9, or
/// together with encoding.seq_len.
std::vector<double> given_positions(const Settings& settings);

/// Throws ConfigError if tokens cannot be given positions of their own: `scheme` chooses them, or no part of
/// `encoding` reads positions.
void check_given_positions(const std::string& encoding, const PositionScheme& scheme);

/// The tokens 0 … reach - 1 that a model must know to know these positions: 101 for 5, 100. From 1 to 1e6, so
/// that a table fits in memory.
Index reach_of(std::span<const double> positions);

/// Whether positions grow by the same step, for M_k: `step` 0 stands for any.
bool evenly_spaced(std::span<const double> positions, double step = 0.0);

/// encoding.offsets. Those of the default that are not below `positions` are left out; a given one is an
/// error. Throws ConfigError.
std::vector<Index> chosen_offsets(const Settings& settings, Index positions);

}  // namespace ordinal::experiments
