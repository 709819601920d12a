// The charts of an experiment: curves over length, loss over position, loss over steps, with a series for each row, in that order.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "experiments/report/chart.h"
#include "experiments/report/comparison.h"

namespace ordinal::experiments {

/// A metric by length under a condition: the mean over seeds with their range, and, under the first condition, two readers: the
/// best at the longest length of those that ignore where answers stand, and the oracle.
Chart length_curves(const ExperimentResult& result, const MetricSpec& metric, const std::string& condition);

/// Loss in bits against position at the longest length that each row runs at, in bins that widen with
/// the position (about twelve per octave), mean over seeds with its 95 % interval.
Chart position_curves(const ExperimentResult& result);

/// Training loss in bits per token against step, averaged in at most 120 bins, with the same band.
Chart training_curves(const ExperimentResult& result);

/// Where the curve of one seed has which value.
using Points = std::vector<std::pair<Index, double>>;

/// The mean over seeds of curves whose finite points are averaged in bins. A bin that only some seeds have averages those seeds.
Series over_seeds(const std::vector<Points>& curves, const std::function<Index(Index)>& bin_of);

/// Bins that widen with the position, which starts at 1. With twelve per octave, each of the first positions is a bin of its own.
Index octave_bin(Index position, double per_octave);

}  // namespace ordinal::experiments
