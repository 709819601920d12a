// YaRN (Peng et al. 2023, §3.2 and §3.4): pairs that turn often keep their frequency; pairs that rarely turn are slowed by s.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "framework/core/errors.h"
#include "framework/positional/position_scheme.h"
#include "framework/positional/rotary.h"

namespace ordinal {
namespace {

struct YarnOptions {
  double alpha = 1.0;
  double beta = 0.0;  // 0: automatic
};

void visit_yarn(PositionScheme& scheme, OptionVisitor& v) {
  auto& [alpha, beta] = *std::any_cast<YarnOptions>(&scheme.own);
  v.number("yarn_alpha", alpha, at_least(0), "pairs with at most this many turns in training are slowed by s",
           Binds::training);
  v.number("yarn_beta", beta, automatic_or(0),
           "pairs with at least this many turns keep their speed; 0: min(32, length / 4π), at least α + 1",
           Binds::training);
}

// The automatic β is at most 32, the paper's value for L in the thousands. At L = 64 the fastest pair turns only 10 times.
void complete_yarn(PositionScheme& scheme) {
  auto& [alpha, beta] = *std::any_cast<YarnOptions>(&scheme.own);
  const double turns = static_cast<double>(scheme.train_length) / (4.0 * std::numbers::pi);
  if (beta == 0.0) beta = std::max(alpha + 1.0, std::min(turns, 32.0));
  if (alpha < beta) return;
  throw ConfigError(fmt::format("yarn: yarn_alpha = {} is not below yarn_beta = {}", alpha, beta));
}

std::string describe_yarn(const PositionScheme& scheme) {
  const auto& [alpha, beta] = *std::any_cast<YarnOptions>(&scheme.own);
  return fmt::format(", α {:.3g}, β {:.3g}", alpha, beta);
}

Stretch ramp(const PositionScheme& scheme, double s) {
  const auto frequencies = [s, train_length = static_cast<double>(scheme.train_length),
                            of = *std::any_cast<YarnOptions>(&scheme.own)](Index d, double base) {
    std::vector<double> all = sinusoidal_frequencies(d, base);
    for (double& frequency : all) {
      const double turns = train_length * frequency / (2.0 * std::numbers::pi);
      const double kept = std::clamp((turns - of.alpha) / (of.beta - of.alpha), 0.0, 1.0);
      frequency = (1.0 - kept) * frequency / s + kept * frequency;
    }
    return all;
  };
  return {.factor = s, .frequencies = frequencies, .magnitude = 0.1 * std::log(s) + 1.0};
}

}  // namespace

SchemeEntry yarn_scheme() {
  return {.name = "yarn",
          .summary = "rotary frequencies slowed for sequences s times as long, except fast pairs (*)",
          .definition = R"(p_t = t, and the r rotated dimensions of a head (--list rope) turn with
  θ_i' = (1 - γ_i) θ_i/s + γ_i θ_i,   θ_i = base^(-2i/r),  i = 0 … r/2 - 1,
  γ_i = clip((n_i - α)/(β - α), 0, 1),   n_i = L θ_i/2π, the turns of the pair in training.
Temperature: every rotated pair of q and of k is also multiplied by m = 0.1 ln s + 1, so that its share of the
score grows by m²; dimensions that are not rotated keep theirs. L is the training length, s = scale (0:
max(1, ℓ/L) for a sequence of ℓ tokens), α = yarn_alpha, β = yarn_beta (0: max(α + 1, min(32, L/4π))). With
s = 1 nothing changes. Peng et al. 2023, §3.2 and §3.4; their code ramps over i instead of n_i.)",
          .scales = true,
          .own = YarnOptions{},
          .visit = visit_yarn,
          .complete = complete_yarn,
          .describe = describe_yarn,
          .stretch = ramp};
}

}  // namespace ordinal
