// The charts of an experiment: curves over length, loss over position, loss over steps.
#pragma once

#include "experiments/report/chart.h"
#include "experiments/results/result.h"

namespace ordinal::experiments {

/// The headline metric by length, mean over seeds with its 95 % interval, and the baselines.
Chart length_curves(const ExperimentResult& result);

/// Loss in bits against position at the longest length that each row runs at, in bins that widen with
/// the position (about twelve per octave), mean over seeds with its 95 % interval.
Chart position_curves(const ExperimentResult& result);

/// Training loss in bits per token against step, averaged in at most 120 bins, same band.
Chart training_curves(const ExperimentResult& result);

}  // namespace ordinal::experiments
