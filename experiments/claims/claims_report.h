// Writes decided claims as a table for the terminal, and as claims.csv, claims.md and claims.html.
#pragma once

#include <string>
#include <vector>

#include "experiments/claims/decision.h"
#include "framework/storage/locked_path.h"

namespace ordinal::experiments {

/// The claims that one config decided.
struct DecidedClaims {
  std::string config = {};  // its file
  std::vector<ClaimResult> results = {};
  std::vector<WrittenSection> withdrawn = {};  // its sections [withdrawn ID]
};

/// Two lines for each claim, and "12 claims: 7 hold, 3 fail, 1 undecided, 1 not run yet".
std::string claims_text(const std::vector<DecidedClaims>& all);

/// Columns id, words, source, registered, looks, statement, verdict, effect, low_corrected, high_corrected, n, measured, config,
/// note. The interval is corrected for all claims of the config, so it is wider than the interval of a single claim.
std::string claims_csv(const std::vector<DecidedClaims>& all);
/// Counts, and a table for each group of sources: papers, course notes, own findings. Then the notes, and what was withdrawn.
std::string claims_markdown(const std::vector<DecidedClaims>& all);
/// The same as one self-contained page, which readers can filter by words.
std::string claims_page(const std::vector<DecidedClaims>& all);

/// Writes claims.csv, claims.md and claims.html into `folder`.
void write_claims(const std::vector<DecidedClaims>& all, const LockedPath& folder);

}  // namespace ordinal::experiments
