// Where a loss at long lengths comes from: unseen positions, attention to more keys than in training, or
// something else. Computed from the scores under `shifted`, `window`, `truncated`, `log_n` and
// `last` (settings/condition.h).
#pragma once

#include <string>
#include <vector>

#include "experiments/report/grid.h"

namespace ordinal::experiments {

/// Let m(length, condition) be the headline metric, signed so that larger is worse. L is the training length,
/// n the longest length:
///   positions = m(L, shifted) - m(L, trained)    the same length at new positions; with several offsets: mean,
///                                                minimum and maximum
///   attention = m(n, trained) - m(n, window)     the same length, but each query sees fewer keys
///   total     = m(n, trained) - m(L, trained)
/// A part is negative where the change helps. A window also hides tokens that must be recalled from outside it. Each part
/// is a separate test, not a share of the total: both can contain the same loss. NaN without the condition:
///   both       = m(n, trained) - m(n, truncated) as few keys as with the window, at training positions
///   sharpening = m(n, trained) - m(n, log_n)     the same attention with sharper scores
///   context    = m(n, last) - m(L, last)         the same targets with more tokens before them
struct Causes {
  std::string row;
  double positions = not_a_number;
  Interval range_of_positions = {};
  double attention = not_a_number;
  double total = not_a_number;
  double both = not_a_number;
  double sharpening = not_a_number;
  double context = not_a_number;
};

/// One entry for each ranked row that ran under `trained`, `window` and at least one `shifted`, as means over seeds. Empty
/// unless all of these were requested, at the training length and at a longer one.
std::vector<Causes> causes(const ExperimentResult& result);

/// "“sinusoidal” loses 0.652 from 1x to 8x. At the training length, unseen positions alone cost it 0.610; …"
std::vector<std::string> cause_sentences(const ExperimentResult& result);

/// The loss of each row of causes(result), and both parts.
Grid causes_grid(const ExperimentResult& result);

/// Bars for each row of causes(result): the loss and both parts, side by side. Costs extend to the right of zero, gains to
/// the left. Empty without rows.
std::string causes_svg(const ExperimentResult& result);

}  // namespace ordinal::experiments
