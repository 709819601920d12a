// Loads the weights of a checkpoint whose positional encoding may differ from the model's: to grow a learned table, or
// to replace or drop the encoding of a trained model (DroPE, arXiv 2512.12167).
#pragma once

#include <string>

#include "framework/storage/safetensors.h"
#include "models/transformer.h"

namespace ordinal::experiments {

/// Loads parameters into `values`, which hold the initial values of `model`. Only the encoding's parameters may differ
/// from the file's in number and shape: they are resized (see PositionalEncoding::resize), keep their values if the file lacks
/// them, or are dropped. Returns which are, on one line; nothing if everything was loaded unchanged. Throws
/// ConfigError for one that cannot be resized, and CheckpointError for another that does not fit.
std::string adopt_parameters(const SafetensorsFile& file, const Transformer<float>& model,
                             Parameters<float>& values);

/// Throws ConfigError if `model` could not load the weights of `trained`, because both have a parameter of the
/// encoding that differs in shape and cannot be resized.
void check_adoption(const Transformer<float>& trained, const Transformer<float>& model);

}  // namespace ordinal::experiments
