// Sentences that summarise the results. Every conclusion rests on a paired comparison over seeds: a
// difference within the noise is reported as undecided, and with one seed the noise is reported as unknown.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "experiments/results/result.h"

namespace ordinal::experiments {

/// Which row leads at the training length and at the longest length, and which rows cannot run, diverged, or did not learn the
/// task. Plain text.
std::vector<std::string> verdicts(const ExperimentResult& result);

/// The rows for which more seeds can settle a comparison: those that the verdicts cannot distinguish from the best row at the
/// training length or at the longest length, and that best row.
std::set<std::string> undecided_rows(const ExperimentResult& result);

/// The ranking at the longest length in one sentence without intervals. The page opens with it.
std::string answer(const ExperimentResult& result);

}  // namespace ordinal::experiments
