// In which order the cells of an experiment run, and what each costs.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "experiments/experiment/cell.h"
#include "experiments/process/time_left.h"

namespace ordinal::experiments {

/// For each cell, how many before it are of its row: 0 for the first seed of each row.
std::vector<Index> rounds_of(const std::vector<Cell>& cells);

/// The order of work, as indices of cells: the first seed of each row, then the second of each, so that rows can be compared early.
std::vector<std::size_t> seed_by_seed(const std::vector<Index>& rounds);

/// What is forecast of some of the cells, by their indices. A training that several cells need counts for the first of `some`.
std::map<std::size_t, ForecastCell> forecast(const std::vector<Cell>& cells,
                                             const std::vector<std::size_t>& some);

}  // namespace ordinal::experiments
