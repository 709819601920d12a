// Checks the gradient of a layer against its definition. Does not depend on any test library. A test of your
// own layer looks like this:
//
//   const GradientReport report = check_layer([](const Scope& scope) {
//     return std::make_unique<MyLayer<double>>(16, scope);
//   });
//   EXPECT_TRUE(report.ok()) << report.text();
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "framework/layers/layer.h"

namespace ordinal {

/// The failed checks, one line each, with numbers.
struct GradientReport {
  std::vector<std::string> failures;
  bool ok() const { return failures.empty(); }
  std::string text() const;
};

using LayerBuilder = std::function<std::unique_ptr<Layer<double>>(const Scope&)>;

/// With ℓ = ⟨f(x), u⟩ for a fixed random u, two sequences, and dropout with the same masks in every run:
///   finite differences   (ℓ(z + hd) - ℓ(z - hd)) / 2h, h = 1e-6 · max(1, max_i |z_i|), against ⟨∇ℓ, d⟩ for z = x and
///                        for each parameter, along three random directions d of length 1. The three may be off by
///                        1e-7 of their norm
///   accumulation         a second backward doubles the gradients of the parameters
///   repeat               a second run gives the same bits
///   contract             x and dy are unchanged; backward restores everything that forward saved
GradientReport check_layer(const LayerBuilder& build, Index seq_len = 5);

/// The finite differences alone, for any function of parameters, such as the loss of a whole model: `loss`
/// computes ℓ from the values, `gradient` adds ∂ℓ/∂θ to its second argument.
GradientReport check_parameters(
    Parameters<double>& values, const std::function<double(const Parameters<double>&)>& loss,
    const std::function<void(const Parameters<double>&, Parameters<double>&)>& gradient);

}  // namespace ordinal
