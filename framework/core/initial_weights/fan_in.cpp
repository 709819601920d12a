// fan_in: N(0, 1/n) for weights that multiply n numbers.
#include "framework/core/initial_weights.h"

namespace ordinal {

InitialWeightsEntry fan_in_initial_weights() {
  return {
      .name = "fan_in",
      .summary = "N(0, 1/fan_in): outputs as large as inputs at any width; LeCun et al. 1998, §4.6",
      .definition =
          R"(Weights that multiply n numbers and sum the products start as N(0, 1/n), those of output projections too.
Those of `lstm` start as in PyTorch, and tables, biases and the parameters of norms as --list says of each.)",
      .make = [](const Part&, Index) { return InitialWeights(); },
  };
}

}  // namespace ordinal
