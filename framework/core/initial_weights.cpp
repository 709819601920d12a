#include "framework/core/initial_weights.h"

#include <cmath>

namespace ordinal {
namespace {

struct Gpt2Options {
  double sd = 0.02;
  void visit(OptionVisitor& v) {
    v.number("sd", sd, between(1e-6, 100), "standard deviation of all weights but the last of each branch",
             Binds::training);
  }
};

}  // namespace

Registry<InitialWeightsEntry>& initial_weights() {
  static Registry<InitialWeightsEntry> all(
      "model.init",
      {{.name = "fan_in",
        .summary = "N(0, 1/fan_in): outputs as large as inputs at any width; LeCun et al. 1998, §4.6",
        .definition =
            R"(Weights that multiply n numbers and sum the products start as N(0, 1/n), those of output projections too.
Those of `lstm` start as in PyTorch, and tables, biases and the parameters of norms as --list says of each.)",
        .make = [](const Part&, Index) { return InitialWeights(); }},
       {.name = "gpt2",
        .summary = "N(0, sd²), the last weights of each branch N(0, sd²/branches); Radford et al. 2019",
        .definition =
            R"(Weights start as N(0, sd²), and the last weights of a branch as N(0, sd²/n) with n branches in the whole
model, so that the sum of their outputs does not grow with n. 0.02 was chosen for widths of 768 to 1,600; at a width of 64,
fan_in has 0.125.)",
        .options = specs_of<Gpt2Options>(),
        .make = [](const Part& part, Index branches) {
          const double sd = read_options<Gpt2Options>(part.name, part.options).sd;
          return InitialWeights{.sd = sd, .last_sd = sd / std::sqrt(static_cast<double>(branches))};
        }}});
  return all;
}

InitialWeights make_initial_weights(const PartList& init, Index branches) {
  const Part& part = init.only();
  const InitialWeightsEntry& entry = initial_weights().find(part.name);
  check_values(part.name, entry.options, part.options);
  return entry.make(part, branches);
}

}  // namespace ordinal
