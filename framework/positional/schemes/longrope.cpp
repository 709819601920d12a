// LongRoPE (Ding et al. 2024, §3): each rotary pair is slowed by its own factor, except for the first tokens.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "framework/core/errors.h"
#include "framework/core/text.h"
#include "framework/positional/position_scheme.h"
#include "framework/positional/sinusoid_table.h"

namespace ordinal {
namespace {

// "1 1.5 4": two or more factors of 1 or more. "auto": 1 and s, the factors of ntk.
std::vector<double> factors_of(const std::string& text, double s) {
  if (text == "auto") return {1.0, s};
  std::vector<double> factors;
  for (const std::string& word : split_outside_brackets(text, ' ')) {
    const auto factor = parse_real(word);
    if (!factor || *factor < 1.0) {
      throw ConfigError(fmt::format(
          "longrope: got a factor '{}' in longrope_factors, expected numbers of at least 1", word));
    }
    factors.push_back(*factor);
  }
  if (factors.size() >= 2) return factors;
  throw ConfigError(
      "longrope: got one factor in longrope_factors, expected two or more (interpolated has one for all "
      "pairs)");
}

// λ of pair i of `pairs`: `factors` are spread evenly over the pairs and interpolated geometrically in between.
double slowing_of(Index i, Index pairs, const std::vector<double>& factors) {
  if (pairs == 1) return factors.front();
  const double place = static_cast<double>(i * (std::ssize(factors) - 1)) / static_cast<double>(pairs - 1);
  const auto low = std::min(static_cast<std::size_t>(place), factors.size() - 2);
  const double share = place - static_cast<double>(low);
  return std::pow(factors[low], 1.0 - share) * std::pow(factors[low + 1], share);
}

class Longrope final : public SchemeRule {
 public:
  void visit(PositionScheme& /*scheme*/, OptionVisitor& v) override {
    v.text("longrope_factors", factors_,
           "factors that slow the pairs, from the first to the last, separated by spaces; auto: 1 and s",
           Binds::training);
    v.integer("longrope_unchanged", unchanged_, between(0, largest_count),
              "positions below it are not slowed", Binds::training);
  }
  void resolve(Index /*train_length*/) override { factors_of(factors_, 1.0); }

  std::string describe() const override {
    return (factors_ == "auto" ? "" : ", λ " + factors_) +
           (unchanged_ > 0 ? fmt::format(", from {} on", unchanged_) : "");
  }

  Stretch stretch(const PositionScheme& /*scheme*/, double s) const override {
    const auto frequencies = [factors = factors_of(factors_, s)](Index d, double base) {
      std::vector<double> all = sinusoidal_frequencies(d, base);
      for (Index i = 0; i < std::ssize(all); ++i)
        all[static_cast<std::size_t>(i)] /= slowing_of(i, std::ssize(all), factors);
      return all;
    };
    return {.factor = s, .frequencies = frequencies, .unchanged = static_cast<double>(unchanged_)};
  }

 private:
  std::string factors_ = "auto";  // from the first pair to the last, separated by spaces
  Index unchanged_ = 0;           // positions below it rotate as in training
};

}  // namespace

SchemeEntry longrope_scheme() {
  return describe_scheme<Longrope>(
      {.name = "longrope",
       .summary =
           "the frequency of each rotary pair is divided by its own factor, except for the first tokens (*)",
       .definition = R"(p_t = t, and the r = 2n rotated dimensions of a head (--list rope) turn with
  θ_i' = θ_i/λ_i at positions from longrope_unchanged on,  θ_i' = θ_i below,  θ_i = base^(-2i/r),  i = 0 … n - 1.
longrope_factors gives m ≥ 2 factors f separated by spaces. With x = i (m - 1)/(n - 1) and w = min(⌊x⌋, m - 2),
λ_i = f_w^(1 - x + w) f_(w + 1)^(x - w), which is f_i for m = n; f_0 for a single pair. auto: 1 and s, for which
λ_i = s^(i/(n - 1)), as in ntk. s = scale (0: max(1, ℓ/L) for a sequence of ℓ tokens, L the training length);
with s = 1 nothing changes. No temperature. Ding et al. 2024, §3; their search for factors and their fine-tuning
in stages are left out.)",
       .scales = true});
}

}  // namespace ordinal
