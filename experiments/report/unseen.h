// Scores past the training length in two numbers for each row, as papers on length generalisation give them.
#pragma once

#include <string>
#include <vector>

#include "experiments/report/grid.h"

namespace ordinal::experiments {

/// The columns of the lengths past the training length.
std::vector<std::size_t> columns_past(const std::vector<Index>& lengths, Index train_length);

/// The mean of one seed over some columns; NaN if it has no score at one of them.
double mean_over(const ComparisonRow& row, std::uint64_t seed, const std::vector<std::size_t>& columns);

/// Of one row: the mean over all tested lengths past the training length, of each seed that has a score at all of them.
Summary unseen_summary(const Comparison& comparison, std::size_t row, Index train_length);

/// The length at which the mean of a row falls under one half, interpolated between tested lengths: "77", or "> 200" if
/// it does not; empty for a row without scores, or under one half from the shortest length on.
std::string half_length(const Comparison& comparison, std::size_t row);

/// A grid of both for the headline, the second one for accuracies only. None if fewer than two lengths are past the
/// training length, or rows differ in that.
std::vector<Grid> unseen_grids(const ExperimentResult& result);

}  // namespace ordinal::experiments
