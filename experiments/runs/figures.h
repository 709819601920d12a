// Pictures of a trained model: what its encoding adds, and where its heads look.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/report/report.h"
#include "experiments/tasks/task.h"
#include "framework/positional/position_scheme.h"
#include "models/transformer.h"

namespace ordinal {

/// Draws into `folder`: the input matrix and the similarity of its rows (encodings that act on the input),
/// what is added to the scores of the first block (those that act there; on random queries and keys), the
/// attention of the first and last block on one validation example of `length`, and its share by distance,
/// with how well a line reads positions from the last activations.
std::vector<ExtraFigure> draw_model_figures(const Transformer<float>& model, const Parameters<float>& values,
                                            const Task& task, Index length, const std::string& encoding,
                                            const PositionScheme& scheme,
                                            const std::filesystem::path& folder);

}  // namespace ordinal
