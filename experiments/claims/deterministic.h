// Claims that need no training: numbers and properties of the encodings, computed from their formulas.
#pragma once

#include "experiments/claims/claims_report.h"

namespace ordinal::experiments {

/// Each with what was computed; a few seconds.
DecidedClaims deterministic_claims();

}  // namespace ordinal::experiments
