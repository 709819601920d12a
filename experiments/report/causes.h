// Where a loss at long lengths comes from: unseen positions, attention to more keys than in training, or
// something else. Computed from the scores under `shifted`, `window`, `log_n` and `last` (settings/condition.h).
#pragma once

#include <string>
#include <vector>

#include "experiments/report/grid.h"

namespace ordinal::experiments {

/// With m(length, condition) the headline metric, signed so that larger is worse, L the training length and n
/// the longest one:
///   positions = m(L, shifted) - m(L, trained)    the length is kept, the positions are new; of several offsets the mean,
///                                                least and most
///   attention = m(n, trained) - m(n, window)     the length is kept, each query sees fewer keys
///   total     = m(n, trained) - m(L, trained)
/// A part is negative where the change helps. A window also hides tokens that must be recalled from outside it. Each part
/// is a test of its own, no share of the total: both can hold the same loss. If there are such conditions, else NaN:
///   both       = m(n, trained) - m(n, truncated) as few keys as with the window, at positions of training
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

/// For each ranked row that ran under `trained`, at least one `shifted` and `window`, as means over seeds; empty if not all
/// were requested.
std::vector<Causes> causes(const ExperimentResult& result);

/// "“sinusoidal” loses 0.652 from 1x to 8x. At the training length, unseen positions alone cost it 0.610; …"
std::vector<std::string> cause_sentences(const ExperimentResult& result);

/// The loss of each row of causes(result), and both parts.
Grid causes_grid(const ExperimentResult& result);

/// For each row of causes(result) bars for the loss and both parts, side by side; costs to the right of zero, gains to the
/// left. Empty without rows.
std::string causes_svg(const ExperimentResult& result);

}  // namespace ordinal::experiments
