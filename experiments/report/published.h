// Scores as papers give them: past the training length in two numbers for each row, and beside the numbers of a paper.
#pragma once

#include <string>
#include <vector>

#include "experiments/report/grid.h"

namespace ordinal::experiments {

/// The columns of the lengths past the training length.
std::vector<std::size_t> columns_past(const std::vector<Index>& lengths, Index train_length);

/// The mean over some columns, of each seed that has a score at all of them.
Summary summary_over(const ComparisonRow& row, const std::vector<std::size_t>& columns,
                     const MetricInfo& metric);

/// The length at which the mean of a row falls under one half, interpolated between tested lengths: "77", or "> 200" if
/// it does not; "–" for a row without scores, or under one half from the shortest length on.
std::string half_length(const ComparisonRow& row, const std::vector<Index>& lengths);

/// A grid of the mean over all lengths past the training length, and for accuracies half_length(), of the headline. None if
/// fewer than two lengths are past the training length, or rows differ in that.
std::vector<Grid> unseen_grids(const ExperimentResult& result);

/// One grid for each published table: for every length theirs and ours, and below Kendall's τ between the two.
std::vector<Grid> published_grids(const ExperimentResult& result);

}  // namespace ordinal::experiments
