// ALiBi (Press et al. 2022): a penalty on scores that grows linearly with distance, with a fixed slope for each
// head. Nothing is learned, and nothing is added to the input.
#include <bit>
#include <cmath>

#include "framework/positional/distance_bias.h"

namespace ordinal {

std::vector<double> alibi_slopes(Index heads) {
  const auto power = static_cast<Index>(std::bit_floor(static_cast<std::size_t>(heads)));
  std::vector<double> slopes;
  for (Index h = 1; h <= power; ++h) {
    slopes.push_back(std::exp2(-8.0 * static_cast<double>(h) / static_cast<double>(power)));
  }
  for (Index h = 1; std::ssize(slopes) < heads; h += 2) {
    slopes.push_back(std::exp2(-8.0 * static_cast<double>(h) / static_cast<double>(2 * power)));
  }
  return slopes;
}

namespace {

struct AlibiOptions {
  double slope_scale = 1.0;
  void visit(OptionVisitor& v) {
    v.number("slope_scale", slope_scale, at_least(0), "factor on all slopes", Binds::training);
  }
};

template <typename T>
class Alibi final : public DistanceBias<T> {
 public:
  Alibi(const ModelShape& shape, const AlibiOptions& options, const Scope& /*scope*/)
      : slopes_(alibi_slopes(shape.heads)), scale_(options.slope_scale) {}

  bool learns() const override { return false; }

  void bias(View<const T> n, HeadAt at, View<T> out, Pass<T>& /*pass*/) const override {
    const auto slope = static_cast<T>(scale_ * slopes_[static_cast<std::size_t>(at.head)]);
    for (Index k = 0; k < n.cols; ++k) out(0, k) = -slope * std::abs(n(0, k));
  }

 private:
  std::vector<double> slopes_;  // one for each head
  double scale_;
};

}  // namespace

EncodingEntry alibi_encoding() {
  return describe_encoding<Alibi, AlibiOptions>(
      {.name = "alibi",
       .formula = "q·k/√d_h - m_h |i - j|, m_h = 2^(-8h/H) for H a power of two",
       .source = "Press et al. 2022, §3",
       .shift_invariant = true,
       .maps_distances = true,
       .definition =
           R"(score_ij = q_i·k_j/√d_h - slope_scale · m_h |p_i - p_j|,  heads h = 1 … H, positions any real numbers.
With P = 2^⌊log2 H⌋ the slopes are
  m_h = 2^(-8h/P)            h = 1 … P
  m_h = 2^(-4(2(h-P) - 1)/P)   h = P + 1 … H, every other slope of 2P heads from the first on,
so 2^-4, 2^-8, 2^-2 for H = 3. All layers share them, in causal models and in encoders. The bias is not
divided by √d_h. Nothing is learned.)"});
}

}  // namespace ordinal
