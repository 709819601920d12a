// NTK-aware scaling (bloc97 2023): another base slows the rotary frequencies, the slowest ones most.
#include <fmt/format.h>

#include <cmath>

#include "framework/core/errors.h"
#include "framework/positional/position_scheme.h"
#include "framework/positional/sinusoid_table.h"

namespace ordinal {
namespace {

class Ntk final : public SchemeRule {
 public:
  Stretch stretch(const PositionScheme& scheme, double s) const override {
    const auto frequencies = [s, name = scheme.name()](Index d, double base) {
      if (d == 2) return sinusoidal_frequencies(d, base);
      const double exponent = static_cast<double>(d) / static_cast<double>(d - 2);
      const double raised = base * std::pow(s, exponent);
      if (std::isfinite(raised)) return sinusoidal_frequencies(d, raised);
      throw ConfigError(fmt::format(
          "{}: base {}, raised for s = {}, is infinite, expected a finite one (lower scale or base)", name,
          base, s));
    };
    return {.factor = s, .frequencies = frequencies};
  }
};

}  // namespace

SchemeEntry ntk_scheme() {
  return describe_scheme<Ntk>(
      {.name = "ntk",
       .summary =
           "rotary frequencies slowed for sequences s times as long as in training, the slow ones most (*)",
       .definition = R"(p_t = t, and the r rotated dimensions of a head (--list rope) turn with
  θ_i = base'^(-2i/r),  base' = base · s^(r/(r - 2)),  i = 0 … r/2 - 1   (for r = 2: base' = base):
pair 0 keeps its speed, the last one is slowed by s. s = scale (0: max(1, ℓ/L) for a sequence of ℓ tokens, L
the training length). Nothing else changes: no temperature. bloc97 2023.)",
       .scales = true});
}

SchemeEntry dynamic_ntk_scheme() {
  return describe_scheme<Ntk>(
      {.name = "dynamic_ntk",
       .summary = "ntk for the tokens read so far (*)",
       .definition =
           R"(As ntk with s = max(1, ℓ/L), ℓ the number of tokens read so far. They all share this s, so each new
token beyond L changes the angles of the earlier ones, and rotated keys cannot be cached.)",
       .scales = true,
       .is_dynamic = true});
}

}  // namespace ordinal
