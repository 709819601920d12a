// Sentences that say what the numbers show. Nothing is concluded here that a paired comparison over seeds
// does not carry: a difference inside the noise is called that, and one seed is said to show no noise at all.
#pragma once

#include <string>
#include <vector>

#include "experiments/report/result.h"

namespace ordinal {

/// Who leads at the training length and at the longest length, how each encoding changes from the one to the
/// other, which encodings cannot run, diverged, or did not learn the task in the first place. Plain text.
std::vector<std::string> verdicts(const ExperimentResult& result);

}  // namespace ordinal
