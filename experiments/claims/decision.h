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
  /// Of the relation of the statement that is closest to failing: by how much it holds (left and right in the order in
  /// which that is positive; for an approximate equality left - right), mean over seeds and interval.
  double effect = not_a_number;
  double low = not_a_number;
  double high = not_a_number;
  Index n = 0;           // seeds
  std::string why = {};  // one line: the values, or why it is undecided
};

/// Fewer seeds decide nothing.
inline constexpr Index fewest_seeds = 5;

/// A relation is decided for the typical seed, on its difference in each seed (see statistics.h), an equality by two
/// one-sided tests; differences without spread decide nothing, and `why` has the share of seeds instead. All
/// relations of `claims` are corrected together, so that the probability of any wrong verdict is at most 5 %. A
/// statement holds if all its relations do, and fails if one does. `fails(row, length)` needs every seed to fail.
std::vector<ClaimResult> decide(const std::vector<Claim>& claims, const ExperimentResult& result);

}  // namespace ordinal::experiments
