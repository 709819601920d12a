// Sentences that summarise the results. Every conclusion rests on a paired comparison over seeds: a
// difference within the noise is reported as undecided, and with one seed the noise is reported as unknown.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "experiments/results/result.h"

namespace ordinal::experiments {

/// Which row leads at the training length and at the longest length, how each row changes between them, and
/// which rows cannot run, diverged, or did not learn the task. Plain text.
std::vector<std::string> verdicts(const ExperimentResult& result);

/// The rows about which more seeds can decide something: those that the verdicts cannot tell from the best at the training length
/// or at the longest one, and the best itself there.
std::set<std::string> undecided_rows(const ExperimentResult& result);

/// The ranking at the longest length in one sentence without intervals; the first thing that the page says.
std::string answer(const ExperimentResult& result);

}  // namespace ordinal::experiments
