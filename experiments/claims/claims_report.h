// Writes decided claims as a table for the terminal, and as claims.csv, claims.md and claims.html.
#pragma once

#include <string>
#include <vector>

#include "experiments/claims/decision.h"
#include "experiments/process/folder_lock.h"

namespace ordinal::experiments {

/// The claims that were decided, and the sections [withdrawn ID], of one config or several.
struct DecidedClaims {
  std::vector<ClaimResult> results = {};
  std::vector<WrittenSection> withdrawn = {};
};

/// Two lines for each claim, and "12 claims: 7 hold, 3 fail, 1 undecided, 1 not run yet". A claim that was asked again counts once.
std::string claims_text(const DecidedClaims& decided);

/// Columns id, words, source, registered, looks, again, statement, verdict, effect, low_corrected, high_corrected, n, measured, config,
/// note. The interval is corrected for all claims of the config, so it is wider than the interval of a single claim.
std::string claims_csv(const DecidedClaims& decided);
/// Counts, and a table for each group of sources: papers, course notes, own findings. Then the notes, and what was withdrawn.
std::string claims_markdown(const DecidedClaims& decided);

/// Writes claims.csv, claims.md and claims.html into `folder`. Returns claims_text(), and where they stand.
std::string write_claims(const DecidedClaims& decided, const LockedPath& folder);

/// Decides the claims of an experiment, and writes the scores that they use as scores.csv, too.
std::string report_claims(const Settings& settings, const ExperimentResult& result, const LockedPath& folder);

}  // namespace ordinal::experiments
