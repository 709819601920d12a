// Writes decided claims as a table for the terminal, and as claims.csv, claims.md and claims.html.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/claims/decision.h"
#include "framework/storage/locked_path.h"

namespace ordinal::experiments {

/// The claims that one experiment decided.
struct DecidedClaims {
  std::string config = {};            // the file that decides them; empty for claims that need no training
  std::string title = {};             // one line: what was trained
  std::filesystem::path report = {};  // the experiment's page, if there is one
  std::vector<ClaimResult> results = {};
};

/// "12 hold, 3 fail, 2 undecided".
std::string claims_count(const std::vector<DecidedClaims>& all);

/// Two lines for each claim, and the count.
std::string claims_text(const std::vector<DecidedClaims>& all);

/// Columns id, words, source, statement, expected, verdict, effect, low_corrected, high_corrected, n, values, config,
/// note. The interval is corrected for all claims of the experiment, so it is wider than the interval of a single claim.
std::string claims_csv(const std::vector<DecidedClaims>& all);
/// One table per paper, sorted by the name of the paper.
std::string claims_markdown(const std::vector<DecidedClaims>& all);
/// The same as one self-contained page. Readers can filter the claims by verdict and words. Links to
/// the experiments' pages are relative to `folder`.
std::string claims_page(const std::vector<DecidedClaims>& all, const std::filesystem::path& folder);

/// Writes claims.csv, claims.md and claims.html into `folder`.
void write_claims(const std::vector<DecidedClaims>& all, const LockedPath& folder);

}  // namespace ordinal::experiments
