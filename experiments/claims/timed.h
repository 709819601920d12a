// Claims about time, measured on this machine. They need no training; a verdict of a busy machine may differ.
#pragma once

#include "experiments/claims/claims_report.h"
#include "framework/core/threads.h"

namespace ordinal::experiments {

/// Each with what was measured; a few seconds.
DecidedClaims timed_claims(Threads& threads);

}  // namespace ordinal::experiments
