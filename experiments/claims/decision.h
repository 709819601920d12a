// Decides claims from stored scores: holds, fails, undecided, or not run yet.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiments/claims/claim.h"
#include "experiments/results/statistics.h"
#include "experiments/results/stored_scores.h"

namespace ordinal::experiments {

enum class Verdict { holds, fails, undecided, not_run };
std::string to_string(Verdict verdict);

/// The values of one side of a claim in its seeds.
struct Side {
  std::vector<double> values = {};  // one for each seed; NaN where the row cannot run or diverged
  Index learned = 0;                // seeds of the row that learned the task
  Index known = 0;                  // seeds of which it is known
};

struct ClaimResult {
  Claim claim = {};
  Verdict verdict = Verdict::undecided;
  std::vector<Side> sides = {};  // of the quantities
  Comparison comparison =
      {};  // by how much A exceeds B or the number, margin not taken off, at the level of the test
  std::string why = {};  // why it is undecided although seeds agree, or what was not run

  /// "0.986 against 0.628, ahead in 10 of 10 seeds, by 0.36 (0.30 to 0.41); learned 10/10, 9/10", and why.
  std::string measured() const;
};

/// Decides each claim by the procedure of statistics.h from its differences in the given seeds: A - B - margin; A - number;
/// of an equality both A - B + margin and margin - (A - B), of which the one with fewer seeds counts. The claims are one family;
/// the p of a claim is multiplied by its looks. A claim is not run if the score of any seed is missing. It is undecided if
///   - a row cannot run there or diverged, in any seed;
///   - fewer than three quarters of the seeds of a row learned the task;
///   - it is at the floor: the median of no row is better than the best reader at that length, the oracle and the reader of the
///     last tokens left out.
std::vector<ClaimResult> decide(const std::vector<Claim>& claims, const StoredScores& scores,
                                const std::vector<std::uint64_t>& seeds);

/// The scores of an experiment that its claims use, as a file.
std::string scores_csv(const std::vector<Claim>& claims, const ExperimentResult& result);

}  // namespace ordinal::experiments
