// Decides claims from the results of an experiment: holds, fails or undecided.
#pragma once

#include <string>
#include <vector>

#include "experiments/claims/sections.h"
#include "experiments/results/statistics.h"

namespace ordinal::experiments {

using Verdict = Decision;
std::string to_string(Verdict verdict);

struct ClaimResult {
  Claim claim = {};
  Verdict verdict = Verdict::undecided;
  /// For the relation that is closest to failing: by how much it holds, as the median difference over seeds and its
  /// interval. A positive difference supports the relation; for an approximate equality it is left - right.
  double effect = not_a_number;
  double low = not_a_number;
  double high = not_a_number;
  Index n = 0;           // seeds
  std::string why = {};  // one line: the values, or why it is undecided
};

/// Decides each relation by the procedure of statistics.h, from its difference in each seed, margins and factors included; the
/// relations of all claims are one family. A seed in which an inequality does not hold is against it. An equality holds if
/// the interval lies within the margin, and fails if it lies outside. All seeds count. A relation is undecided if a seed has no
/// number, or if it is about a row past its training length that fewer than three quarters of the seeds learned, unless it is
/// about `all` seeds or `in most seeds`; with `seeds = learned`, also at the training length. A statement holds if all its
/// relations hold, and fails if one fails. `fails(row, length)` needs every seed to fail.
std::vector<ClaimResult> decide(const std::vector<Claim>& claims, const ExperimentResult& result);

}  // namespace ordinal::experiments
