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
  /// For the relation that is closest to failing: by how much it holds, as the mean over seeds and its
  /// interval. A positive difference supports the relation; for an approximate equality it is left - right, and
  /// for one in most seeds the share of seeds in which it holds - 1/2.
  double effect = not_a_number;
  double low = not_a_number;
  double high = not_a_number;
  Index n = 0;           // seeds
  std::string why = {};  // one line: the values, or why it is undecided
};

/// With fewer seeds a relation stays undecided.
inline constexpr Index fewest_seeds = 5;

/// Decides each relation for the typical seed, from its difference in each seed (see statistics.h), and an equality
/// by two one-sided tests. Differences without spread give no verdict; `why` then has the share of seeds in which the
/// relation holds. A relation `in most seeds` is about this share, whether it is above or below 1/2, and counts seeds that
/// did not learn the task, too. All relations of `claims` are corrected together, so that the probability of any wrong
/// verdict is at most 5 %. A statement holds if all its relations hold, and fails if one fails. `fails(row, length)` needs
/// every seed to fail.
std::vector<ClaimResult> decide(const std::vector<Claim>& claims, const ExperimentResult& result);

}  // namespace ordinal::experiments
