// The charts of an experiment: curves over length, loss over position, loss over steps. All have a series for each row that
// compare() shows, in that order.
#pragma once

#include "experiments/report/chart.h"
#include "experiments/results/result.h"
#include "experiments/results/statistics.h"

namespace ordinal::experiments {

/// A metric by length under a condition, mean over seeds with its 95 % interval, each seed, and the baselines. Without them:
/// the headline metric under the first condition.
Chart length_curves(const ExperimentResult& result, const std::string& metric, const std::string& condition);
Chart length_curves(const ExperimentResult& result);

/// Loss in bits against position at the longest length that each row runs at, in bins that widen with
/// the position (about twelve per octave), mean over seeds with its 95 % interval.
Chart position_curves(const ExperimentResult& result);

/// Training loss in bits per token against step, averaged in at most 120 bins, same band.
Chart training_curves(const ExperimentResult& result);

/// Adds a point to a line, and its interval if there are seeds enough for one.
void add_mean(Series& series, double x, const Summary& summary);

}  // namespace ordinal::experiments
