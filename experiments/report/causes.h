// The causes of a loss at long lengths, as conditions under which the same models are tested.
#pragma once

#include <vector>

#include "experiments/report/grid.h"

namespace ordinal::experiments {

/// If there is more than one condition, one grid for each headline metric: rows by conditions at the longest length, and before
/// them, at the training length, what positions alone do: `trained` beside `shifted`, whose offsets share a column with
/// their mean and their range. table.csv has every condition at every length.
std::vector<Grid> condition_grids(const ExperimentResult& result);

}  // namespace ordinal::experiments
