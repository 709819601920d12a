// --dump: one matrix of an encoding, chosen by the name of its file.
#pragma once

#include <string>

#include "experiments/runs/encoding_subject.h"

namespace ordinal::experiments {

/// Throws ConfigError unless the file at `path` is called input.npy, angles.npy, bias.npy, scores.npy,
/// terms.npy or shift-K.npy with a whole number K.
void check_dump(const std::string& path);

/// The matrix of that name. Throws ConfigError if the encoding does not have it.
Tensor<double> dumped_matrix(const EncodingSubject& subject, const CommandLine& command);

}  // namespace ordinal::experiments
