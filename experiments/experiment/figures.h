// Pictures of the trained models of a row: what their encoding does, where they attend, and what their activations know of
// positions.
#pragma once

#include <span>
#include <vector>

#include "experiments/experiment/cell.h"
#include "experiments/report/html.h"
#include "experiments/scoring/scoring.h"

namespace ordinal::experiments {

/// Of the models of `row`, cells of one row, that are in `result`. Only reads checkpoints; one that is missing, or does not hold the weights
/// behind `result`, is named instead of drawn. `evaluation` is as in Subject. With <row> for the folder of the row, their
/// files are:
///   <row>-input.svg, -similarity.svg         of encodings that act on the input: what is added to it, and the similarity of
///                                            its rows
///   <row>-bias.svg                           what is added to the scores of the first layer of attention, on random queries
///                                            and keys
///   <row>-attention-<layer>-at-<length>.svg  of the first and the last attention layer, on one validation example, averaged
///                                            over heads
///   <row>-distances-at-<length>.svg          share of the attention by distance from query to key, of both layers: the mean
///                                            over heads, queries and seeds, with the 95 % interval over seeds. The caption
///                                            holds R² of a linear probe of positions on the last activations
/// Lengths are that of training and the longest tested one of up to 2,048 tokens. All but the distances are of the first seed.
/// What the encoding does not support is left out.
std::vector<Figure> row_figures(std::span<const Cell> row, const ExperimentResult& result,
                                const Settings& evaluation);

}  // namespace ordinal::experiments
