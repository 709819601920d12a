// Decides claims from stored scores: holds, fails, undecided, or not run yet.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiments/claims/claim.h"
#include "experiments/report/comparison.h"

namespace ordinal::experiments {

enum class Verdict { holds, fails, undecided, not_run };
std::string to_string(Verdict verdict);

struct ClaimResult {
  Claim claim = {};
  Verdict verdict = Verdict::undecided;
  std::vector<Group> sides = {};  // A and B, in their seeds
  Comparison comparison = {};     // A - B, or A - number
  std::string why = {};           // why it is undecided although seeds agree, or what was not run
  Index family = 1;               // claims that are decided together

  /// "0.986 against 0.628, ahead in 10 of 10 seeds, by 0.36 (0.30 to 0.41); learned 10/10, 9/10", and why it is undecided, or
  /// how many seeds would decide it.
  std::string measured() const;
};

/// Decides claims in the given seeds, all as one family, as configs/claims/README.md says. An equality holds in the seeds where
/// |A - B| is below the margin. A claim is not run if the score of any seed is missing.
std::vector<ClaimResult> decide(const std::vector<Claim>& claims, const std::vector<Score>& scores,
                                const std::vector<std::uint64_t>& seeds);

/// The scores that a file keeps for claims, at all lengths: in the headline metrics, as trained in their bands of distance, and in the
/// metrics of the claims as trained and under their conditions.
std::vector<Score> kept_scores(const std::vector<Claim>& claims, const ExperimentResult& result);

}  // namespace ordinal::experiments
