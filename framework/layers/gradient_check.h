// Checks the gradient of a layer against its definition. Does not depend on any test library. A test of your
// own layer looks like this:
//
//   const GradientReport report = check_layer([](const Scope& scope) {
//     return std::make_unique<MyLayer<double>>(16, scope);
//   });
//   EXPECT_TRUE(report.ok()) << report.text();
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "framework/layers/layer.h"

namespace ordinal {

struct GradientCheckOptions {
  Index batch = 2;
  Index seq_len = 5;
  bool training = true;     // dropout is on, with the same masks in every run of the check
  double tolerance = 1e-7;  // of ‖numeric - analytic‖ / max(‖numeric‖, ‖analytic‖) for each array
  std::uint64_t seed = 1;   // of x, the parameters and the upstream gradient
  double parameter_scale =
      0.5;  // parameters are drawn from N(their initial value, scale²), so that none has a special value
};

/// The failed checks, one line each, with numbers.
struct GradientReport {
  std::vector<std::string> failures;
  bool ok() const { return failures.empty(); }
  std::string text() const;
};

using LayerBuilder = std::function<std::unique_ptr<Layer<double>>(const Scope&)>;

/// With ℓ = ⟨f(x), u⟩ for a fixed random u:
///   finite differences   (ℓ(z + h) - ℓ(z - h)) / 2h, h = 1e-6 · max(1, |z|), for every element z of x and of
///                        the parameters, compared with backward array by array. No element may be off by
///                        more than a hundred times the tolerance times the largest element of its array
///   adjoint              ⟨J v, u⟩ = ⟨v, Jᵀ u⟩ for random directions v, J v by central differences
///   accumulation         a second backward doubles the gradients of the parameters
///   repeat               a second run gives the same bits
///   contract             x and dy are unchanged; backward restores everything that forward saved
GradientReport check_layer(const LayerBuilder& build, const GradientCheckOptions& options = {});

/// The finite differences alone, for any function of parameters, such as the loss of a whole model: `loss`
/// computes ℓ from the values, `gradient` adds ∂ℓ/∂θ to its second argument. They are taken for about
/// `per_array` elements of each parameter, evenly spaced.
GradientReport check_parameters(
    Parameters<double>& values, const std::function<double(const Parameters<double>&)>& loss,
    const std::function<void(const Parameters<double>&, Parameters<double>&)>& gradient,
    double tolerance = 1e-7, Index per_array = 40);

}  // namespace ordinal
