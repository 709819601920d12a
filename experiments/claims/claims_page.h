// The claims as a page for a person: each with its verdict and both sides as bars; readers choose by verdict, paper and encoding.
#pragma once

#include <string>

#include "experiments/claims/claims_report.h"
#include "experiments/report/grid.h"

namespace ordinal::experiments {

/// What a reader of the verdicts must know of how they are made.
extern const char* const claims_procedure;

/// The page, with a table of counts above the claims.
std::string claims_page(const DecidedClaims& decided, const Grid& counts);

}  // namespace ordinal::experiments
