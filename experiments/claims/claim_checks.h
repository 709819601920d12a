// Finds claims that an experiment cannot decide.
#pragma once

#include <string>
#include <vector>

#include "experiments/claims/claim.h"
#include "experiments/report/result.h"

namespace ordinal::experiments {

/// A line for each claim that asks for a row, length, metric or condition that the experiment does not have.
/// `experiment` needs no results.
std::vector<std::string> claim_problems(const std::vector<Claim>& claims, const ExperimentResult& experiment);

}  // namespace ordinal::experiments
