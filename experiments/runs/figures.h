// Pictures of a trained model: the effect of its encoding, and its attention.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "experiments/report/report.h"
#include "experiments/runs/entrant.h"
#include "experiments/runs/scoring.h"

namespace ordinal::experiments {

/// Draws into `folder`, with `prefix` before the names of the files: the input matrix and the similarity of its
/// rows (encodings that act on the input), what is added to the scores of the first layer of attention (those
/// that act there; on random queries and keys), and attention at the training length and at the longest tested
/// one of up to 2,048 tokens (attention_figures.h). `seeds` are the models of one row; pictures of an encoding
/// are those of the first. Pictures at positions that the encoding does not support are left out.
std::vector<ExtraFigure> draw_model_figures(std::span<const Subject> seeds, const std::string& label,
                                            const LockedPath& folder, const std::string& prefix);

/// The checkpoint of a row's model of one seed.
struct SavedModel {
  std::uint64_t seed = 0;
  std::filesystem::path checkpoint;
};

/// The same for the models of a row that are in `result`. Only reads checkpoints; one that is missing, or does not hold the
/// weights behind `result`, is named instead of drawn. `evaluation` is as in Subject.
std::vector<ExtraFigure> draw_row_figures(const Entrant& entrant, const std::vector<SavedModel>& saved,
                                          const ExperimentResult& result, const Settings& evaluation,
                                          const LockedPath& folder);

}  // namespace ordinal::experiments
