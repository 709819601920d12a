// Pictures of a trained model: the matrix that its encoding adds to the input, and where its heads look.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/report/report.h"
#include "experiments/tasks/task.h"
#include "models/transformer.h"

namespace ordinal {

/// What an encoding adds to an input of zeros at positions 0 … seq_len - 1: PE (seq_len, d_model), all zero
/// for an encoding that does not act on the input.
template <typename T>
Tensor<double> input_matrix(const PositionalEncoding<T>& encoding, const Parameters<T>& values, Index seq_len,
                            Index d_model);

/// Draws into `folder`: the input matrix and the similarity of its rows (encodings that act on the input),
/// and the attention of each head of the first and last block on one validation example of `length`.
std::vector<ExtraFigure> draw_model_figures(const Transformer<float>& model, const Parameters<float>& values,
                                            const Task& task, Index length, const std::string& encoding,
                                            const std::filesystem::path& folder);

}  // namespace ordinal
