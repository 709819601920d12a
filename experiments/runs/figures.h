// Pictures of a trained model: the effect of its encoding, and its attention.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/report/report.h"
#include "experiments/runs/scoring.h"

namespace ordinal::experiments {

/// Draws into `folder`, with `prefix` before the names of the files: the input matrix and the similarity of
/// its rows (encodings that act on the input), what is added to the scores of the first layer of attention
/// (those that act there; on random queries and keys), the attention of the first and the last layer on one
/// validation example of the training length, and its share by distance, with the R² of a linear probe of
/// positions on the last activations.
std::vector<ExtraFigure> draw_model_figures(const Subject& subject, const std::string& label,
                                            const std::filesystem::path& folder, const std::string& prefix);

}  // namespace ordinal::experiments
