// Loads the weights of a checkpoint whose positional encoding may differ from the model's: to grow a learned table, or
// to replace or drop the encoding of a trained model (DroPE, arXiv 2512.12167).
#pragma once

#include <string>
#include <vector>

#include "framework/storage/safetensors.h"
#include "models/transformer.h"

namespace ordinal::experiments {

/// Names of the encoding's parameters that a model did not load unchanged.
struct Adoption {
  std::vector<std::string> resized;  // have another shape in the file; see PositionalEncoding::resize
  std::vector<std::string> fresh;    // not in the file: they keep their values
  std::vector<std::string> dropped;  // in the file only

  /// One line; empty if everything was loaded unchanged.
  std::string describe() const;
};

/// Loads parameters into `values`, which hold the initial values of `model`. Only the encoding's parameters may differ
/// from the file's in number and shape. Throws CheckpointError naming the first parameter that does not fit; `values`
/// are then unchanged.
template <typename T>
Adoption adopt_parameters(const SafetensorsFile& file, const Transformer<T>& model, Parameters<T>& values);

/// Throws ConfigError if `model` could not load the weights of `trained`, because both have a parameter of the
/// encoding that differs in shape and cannot be resized.
void check_adoption(const Transformer<float>& trained, const Transformer<float>& model);

}  // namespace ordinal::experiments
