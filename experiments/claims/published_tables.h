// Sections [published ID]: numbers of a paper for rows of an experiment.
#pragma once

#include <string>
#include <vector>

#include "experiments/results/result.h"
#include "experiments/settings/settings.h"

namespace ordinal::experiments {

/// The published tables of a config. `experiment` holds the rows, metrics and lengths that they may name; what else is
/// named or written wrongly is added to `problems`, a line each.
///
///   [published press]
///   source = Press et al. 2022, Table 2
///   metric = perplexity
///   lengths = 1x, 2x                                   or unseen, as in a claim
///   rows = sinusoidal: 20.05 43.54; alibi: 19.73 -     a number for each length, - where there is none
std::vector<PublishedTable> published_tables(const Settings& settings, const ExperimentResult& experiment,
                                             std::vector<std::string>& problems);

}  // namespace ordinal::experiments
