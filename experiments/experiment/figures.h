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

/// Figures of the models of `row` among `cells`, of which `result` holds the results. Only reads checkpoints. A checkpoint that is missing, or does not hold the weights behind `result`, is named instead of drawn.
/// With <row> for the row's folder, the files are:
///   <row>-input.svg, -similarity.svg         of encodings that act on the input: what they add to it, and the similarity of
///                                            its rows
///   <row>-bias.svg                           what the encoding adds to the scores of the first attention layer, on
///                                            random queries and keys
///   <row>-attention-<layer>-at-<length>.svg  of the first and the last attention layer, on one validation example, averaged
///                                            over heads
///   <row>-distances-at-<length>.svg          share of the attention by distance from query to key, of both layers: the mean
///                                            over heads, queries and seeds, with the range over seeds
/// The lengths are the training length and the longest tested length, if a condition tests it whole. All figures except the
/// distances use the first seed. Whatever the encoding does not support is left out. One model is in memory at a time, and of
/// a matrix with the square of the length a few rows, so this takes less memory than training and scoring.
std::vector<Figure> row_figures(const Entrant& row, std::span<const Cell> cells,
                                const ExperimentResult& result);

}  // namespace ordinal::experiments
