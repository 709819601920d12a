// Claims that need no training: numbers and properties of the encodings, computed from their formulas, and times.
#pragma once

#include "experiments/claims/claims_report.h"
#include "framework/core/threads.h"

namespace ordinal::experiments {

/// Each with what was computed; a few seconds.
DecidedClaims deterministic_claims();

/// Each with what was measured on this machine; a few seconds. A verdict of a busy machine may differ.
DecidedClaims timed_claims(Threads& threads);

}  // namespace ordinal::experiments
