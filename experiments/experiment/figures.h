// Pictures of the trained models of a row: what their encoding does, and where they attend.
#pragma once

#include <span>
#include <vector>

#include "experiments/experiment/cell.h"
#include "experiments/report/html.h"
#include "experiments/scoring/scoring.h"
#include "framework/attention/attention_run.h"

namespace ordinal::experiments {

/// Adds a row of attention, times `share`, to the share of the attention that goes to each distance n = 0 … L - 1:
/// h_n = 1/L Σ_{|i-j| = n} a_ij, where the rows a_i of a map (L, L) sum to 1. With all rows, the h_n sum to 1.
void add_distances(const AttentionRow<float>& row, double share, std::vector<double>& distances);

/// Figures of the models of `row` among `cells` of which `result` holds a result; the files begin with the row's folder. What
/// its encoding adds to the input (-input, and the -similarity of positions) and to scores (-bias); attention of the first and the
/// last attention layer (-attention-LAYER-at-LENGTH) and the share of it by distance (-distances-at-LENGTH), at the training length
/// and the longest tested length, if a condition tests it whole. Distances show all seeds, the others the first. Whatever the
/// encoding does not support is left out. A checkpoint that is missing, or does not hold the weights behind `result`, is named
/// instead of drawn. One model is in memory at a time, and of a matrix with the square of the length a few rows, so this takes less
/// memory than training and scoring.
std::vector<Figure> row_figures(const Entrant& row, std::span<const Cell> cells,
                                const ExperimentResult& result);

}  // namespace ordinal::experiments
