// Claims that need no training: numbers and properties of the encodings, from their formulas, and timings.
#pragma once

#include "experiments/claims/claims_report.h"
#include "framework/core/threads.h"

namespace ordinal::experiments {

/// Each claim comes with the computed values. Takes a few seconds.
DecidedClaims deterministic_claims();

/// Each with the values measured on this machine. Takes a few seconds. A verdict may differ on a busy machine.
DecidedClaims timed_claims(Threads& threads);

}  // namespace ordinal::experiments
