// gpt2: N(0, sd²) at any width, and smaller where a branch ends.
#include <cmath>

#include "framework/core/initial_weights.h"

namespace ordinal {
namespace {

struct Gpt2Options {
  double sd = 0.02;
  void visit(OptionVisitor& v) {
    v.number("sd", sd, between(1e-6, 100), "standard deviation of all weights but the last of each branch",
             Binds::training);
  }
};

InitialWeights make_gpt2(const Part& part, Index branches) {
  const double sd = read_options<Gpt2Options>(part.name, part.options).sd;
  return {.sd = sd, .last_sd = sd / std::sqrt(static_cast<double>(branches))};
}

}  // namespace

InitialWeightsEntry gpt2_initial_weights() {
  return {
      .name = "gpt2",
      .summary = "N(0, sd²), the last weights of each branch N(0, sd²/branches); Radford et al. 2019",
      .definition =
          R"(Weights start as N(0, sd²), and the last weights of a branch as N(0, sd²/n) with n branches in the whole
model, so that the sum of their outputs does not grow with n. 0.02 was chosen for widths of 768 to 1,600; at a width of 64,
fan_in has 0.125.)",
      .options = specs_of<Gpt2Options>(),
      .make = make_gpt2,
  };
}

}  // namespace ordinal
