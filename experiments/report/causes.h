// Where a loss at long lengths comes from: unseen positions, or attention to more keys than in training.
#pragma once

#include "experiments/report/grid.h"

namespace ordinal::experiments {

/// Let m(length, condition) be the headline metric, signed so that larger is worse, as a mean over seeds. L is the training
/// length, n the longest length. For each ranked row:
///   the whole loss         m(n, trained) - m(L, trained)
///   unseen positions       m(L, shifted) - m(L, trained)  the same length at new positions; the mean over offsets
///   attention to more keys m(n, trained) - m(n, window)   the same length, but each query sees fewer keys
/// Each is a separate test, not a share of the loss; negative where the change helps. A window also hides tokens that must be
/// recalled from outside it. No lines unless `shifted` and `window` were tested, at the training length and at a longer one.
Grid causes_grid(const ExperimentResult& result);

}  // namespace ordinal::experiments
