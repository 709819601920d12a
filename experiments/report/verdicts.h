// Sentences that say what the numbers show. Nothing is concluded here that a paired comparison over seeds
// does not carry: a difference inside the noise is called that, and one seed is said to show no noise at all.
#pragma once

#include <string>
#include <vector>

#include "experiments/report/result.h"

namespace ordinal::experiments {

/// Which row leads at the training length and at the longest length, how each row changes from the one to the
/// other, which rows cannot run, diverged, or did not learn the task in the first place. Plain text.
std::vector<std::string> verdicts(const ExperimentResult& result);

}  // namespace ordinal::experiments
