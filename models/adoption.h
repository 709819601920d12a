// Takes over the weights of a checkpoint whose positional encoding may be another one: to grow a learned table, or to
// exchange or drop the encoding of a trained model (DroPE, arXiv 2512.12167).
#pragma once

#include <string>
#include <vector>

#include "framework/storage/safetensors.h"
#include "models/transformer.h"

namespace ordinal {

/// Names of the encoding's parameters that a model did not take over as they are.
struct Adoption {
  std::vector<std::string> resized;  // of another shape in the file; see PositionalEncoding::resize
  std::vector<std::string> fresh;    // not in the file: they keep their values
  std::vector<std::string> dropped;  // in the file only

  /// One line, empty if everything was taken over as it is.
  std::string describe() const;
};

/// Loads parameters into `values`, which hold the initial values of `model`. Those of the encoding may differ from the
/// file's in number and shape, all others may not. Throws CheckpointError naming the first that does not fit; then
/// `values` are unchanged.
template <typename T>
Adoption adopt_parameters(const SafetensorsFile& file, const Transformer<T>& model, Parameters<T>& values);

/// Throws ConfigError if `model` could not take over the weights of `trained`: a parameter of the encoding that
/// both have differs in shape and cannot be resized.
void check_adoption(const Transformer<float>& trained, const Transformer<float>& model);

}  // namespace ordinal
