// KERPLE (Chi et al. 2022): biases from kernels of the distance n = |i - j|, of which each head of each layer
// learns the shape.
//   kerple_log     -r1 log(1 + r2 n)   flattens with distance
//   kerple_power   -r1 n^r2            with r2 = 1 this is ALiBi with a learned slope
#include <algorithm>
#include <cmath>

#include "framework/positional/score_distances.h"

namespace ordinal {
namespace {

/// r1 = 0.01 + |a|, r2 = 0.01 + |b| stay above 0.01 whatever the optimizer does, and start (nearly) as
/// U(0, 2) and U(0, 1). The exponent of kerple_power goes up to 2.
template <typename T>
class Kerple final : public PositionalEncoding<T> {
 public:
  Kerple(const EncodingConfig& config, const Scope& scope)
      : power_(config.name == "kerple_power"),
        a_(scope.add("scale", {config.layers, config.heads}, uniform(2.0))),
        b_(scope.add(power_ ? "exponent" : "rate", {config.layers, config.heads}, uniform(1.0))) {}

  void encode_scores(const ScoreBlock<T>& block, View<T> scores, Pass<T>& pass) const override {
    const auto frame = pass.scratch_frame();
    const ScoreDistances<T> distances(block, pass);
    const View<T> bias = pass.allocate(1, distances.size());
    const T r1 = positive(pass.value(a_)(block.layer, block.head));
    const T r2 = positive(pass.value(b_)(block.layer, block.head));
    for (Index n = 0; n < bias.cols; ++n) {
      bias(0, n) = -r1 * kernel(std::abs(distances.distances()(0, n)), r2).value;
    }
    distances.add(bias, scores);
  }

  // With bias = -r1 K(n, r2):  da = -sign(a) Σ_n D_n K,  db = -sign(b) r1 Σ_n D_n ∂K/∂r2.
  void encode_scores_backward(const ScoreBlock<T>& block, const ScoreGradient<T>& gradient,
                              Pass<T>& pass) const override {
    const auto frame = pass.scratch_frame();
    const ScoreDistances<T> distances(block, pass);
    const View<T> d_bias = pass.allocate(1, distances.size());
    distances.sum(gradient.scores, d_bias);
    const T a = pass.value(a_)(block.layer, block.head);
    const T b = pass.value(b_)(block.layer, block.head);
    T by_value = T(0);
    T by_slope = T(0);
    for (Index n = 0; n < d_bias.cols; ++n) {
      const Kernel k = kernel(std::abs(distances.distances()(0, n)), positive(b));
      by_value += d_bias(0, n) * k.value;
      by_slope += d_bias(0, n) * k.slope;
    }
    pass.gradient(a_)(block.layer, block.head) -= std::copysign(T(1), a) * by_value;
    pass.gradient(b_)(block.layer, block.head) -= std::copysign(T(1), b) * positive(a) * by_slope;
  }

 private:
  struct Kernel {
    T value;
    T slope;  // in r2
  };
  Kernel kernel(T n, T r2) const {
    if (!power_) return {std::log1p(r2 * n), n / (T(1) + r2 * n)};
    if (n == T(0)) return {T(0), T(0)};  // n^r2 log n goes to 0
    const T value = std::pow(n, std::min(r2, T(2)));
    return {value, r2 < T(2) ? value * std::log(n) : T(0)};
  }
  static T positive(T parameter) { return T(0.01) + std::abs(parameter); }

  bool power_;
  Slot a_;  // (layers, heads)
  Slot b_;
};

EncodingEntry describe(const std::string& name, const std::string& formula, const std::string& second) {
  return describe_encoding<Kerple>({.name = name,
                                    .acts_on = "scores",
                                    .formula = formula,
                                    .parameters = "scale, " + second + " (layers, heads)",
                                    .beyond = "runs",
                                    .source = "Chi et al. 2022, §3",
                                    .shift_invariant = true});
}

}  // namespace

EncodingEntry kerple_log_encoding() {
  return describe("kerple_log", "q·k/√d_h - r1 log(1 + r2 |i - j|)", "rate");
}
EncodingEntry kerple_power_encoding() {
  return describe("kerple_power", "q·k/√d_h - r1 |i - j|^r2", "exponent");
}

}  // namespace ordinal
