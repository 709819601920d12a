// Pictures of the attention of trained models, one for each seed of a row, and of what their activations know of
// positions.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "experiments/report/report.h"
#include "experiments/runs/scoring.h"

namespace ordinal::experiments {

/// Appends, for validation examples of `length`:
///   <stem>-attention-<layer>-at-<length>.svg  of the first and the last attention layer: the attention of the first
///                                      seed on one example, averaged over heads
///   <stem>-distances-at-<length>.svg   share of the attention by distance from query to key, of both layers: the mean
///                                      over heads, queries and seeds, with the 95 % interval over seeds. The caption
///                                      holds R² of a linear probe of positions on the last activations
/// `seeds` are models of one row. Appends nothing for models without attention. Throws PositionError if the encoding
/// does not support these positions.
void draw_attention(std::span<const Subject> seeds, Index length, const std::string& label,
                    const LockedPath& stem, std::vector<ExtraFigure>& figures);

}  // namespace ordinal::experiments
