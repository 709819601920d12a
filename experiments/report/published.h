// Numbers of a paper beside ours, and how far the two order the rows alike.
#pragma once

#include <vector>

#include "experiments/report/grid.h"

namespace ordinal::experiments {

/// One grid for each published table: for every length theirs and ours, and below Kendall's τ between the two.
std::vector<Grid> published_grids(const ExperimentResult& result);

}  // namespace ordinal::experiments
