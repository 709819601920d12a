// The choices of model.init: what weights of products start with. To add one, write one file in initial_weights/ and one line in
// initial_weights.inc.
#pragma once

#include <string>
#include <vector>

#include "framework/core/parameters.h"
#include "framework/core/part.h"
#include "framework/core/registry.h"

namespace ordinal {

/// One entry of the registry.
struct InitialWeightsEntry {
  std::string name;
  std::string summary;
  std::string definition;
  std::vector<OptionSpec> options = {};
  /// For a model with this many branches in all blocks.
  InitialWeights (*make)(const Part& part, Index branches) = nullptr;
};

Registry<InitialWeightsEntry>& initial_weights();

/// What "fan_in" or "gpt2(sd=0.02)" means in a model with this many branches. Throws ConfigError.
InitialWeights make_initial_weights(const PartList& init, Index branches);

}  // namespace ordinal
