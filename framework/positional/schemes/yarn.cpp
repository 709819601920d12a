// YaRN (Peng et al. 2023, §3.2 and §3.4): pairs that turn often keep their frequency; pairs that rarely turn are slowed by s.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "framework/core/errors.h"
#include "framework/positional/position_scheme.h"
#include "framework/positional/sinusoid_table.h"

namespace ordinal {
namespace {

class Yarn final : public SchemeRule {
 public:
  void visit(PositionScheme& /*scheme*/, OptionVisitor& v) override {
    v.number("yarn_alpha", alpha_, at_least(0),
             "pairs with at most this many turns in training are slowed by s", Binds::training);
    v.number("yarn_beta", beta_, automatic_or(0),
             "pairs with at least this many turns keep their speed; 0: min(32, length / 4π), at least α + 1",
             Binds::training);
  }

  // The automatic β is at most 32, the paper's value for L in the thousands. At L = 64 the fastest pair turns only 10 times.
  void resolve(Index train_length) override {
    const double turns = static_cast<double>(train_length) / (4.0 * std::numbers::pi);
    if (beta_ == 0.0) beta_ = std::max(alpha_ + 1.0, std::min(turns, 32.0));
    if (alpha_ < beta_) return;
    throw ConfigError(fmt::format("yarn: yarn_alpha = {} is not below yarn_beta = {}", alpha_, beta_));
  }

  std::string describe() const override { return fmt::format(", α {:.3g}, β {:.3g}", alpha_, beta_); }

  Stretch stretch(const PositionScheme& scheme, double s) const override {
    const auto length = static_cast<double>(scheme.train_length);
    const auto frequencies = [s, length, alpha = alpha_, beta = beta_](Index d, double base) {
      std::vector<double> all = sinusoidal_frequencies(d, base);
      for (double& frequency : all) {
        const double turns = length * frequency / (2.0 * std::numbers::pi);
        const double kept = std::clamp((turns - alpha) / (beta - alpha), 0.0, 1.0);
        frequency = (1.0 - kept) * frequency / s + kept * frequency;
      }
      return all;
    };
    return {.factor = s, .frequencies = frequencies, .magnitude = 0.1 * std::log(s) + 1.0};
  }

 private:
  double alpha_ = 1.0;
  double beta_ = 0.0;  // 0: automatic
};

}  // namespace

SchemeEntry yarn_scheme() {
  return describe_scheme<Yarn>(
      {.name = "yarn",
       .summary = "rotary frequencies slowed for sequences s times as long, except fast pairs (*)",
       .definition = R"(p_t = t, and the r rotated dimensions of a head (--list rope) turn with
  θ_i' = (1 - γ_i) θ_i/s + γ_i θ_i,   θ_i = base^(-2i/r),  i = 0 … r/2 - 1,
  γ_i = clip((n_i - α)/(β - α), 0, 1),   n_i = L θ_i/2π, the turns of the pair in training.
Temperature: every rotated pair of q and of k is also multiplied by m = 0.1 ln s + 1, so that its share of the
score grows by m²; dimensions that are not rotated keep theirs. L is the training length, s = scale (0:
max(1, ℓ/L) for a sequence of ℓ tokens), α = yarn_alpha, β = yarn_beta (0: max(α + 1, min(32, L/4π))). With
s = 1 nothing changes. Peng et al. 2023, §3.2 and §3.4; their code ramps over i instead of n_i.)",
       .scales = true});
}

}  // namespace ordinal
