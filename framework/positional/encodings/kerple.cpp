// KERPLE (Chi et al. 2022): biases that are kernels of the distance n = |i - j|; each head of each layer learns
// its own shape.
//   kerple_log     -r1 log(1 + r2 n)   flattens with distance
//   kerple_power   -r1 n^r2            with r2 = 1 this is ALiBi with a learned slope
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "framework/positional/distance_bias.h"

namespace ordinal {
namespace {

template <typename T, bool power>
class Kerple final : public DistanceBias<T> {
 public:
  Kerple(const ModelShape& shape, const NoOptions& /*options*/, const Scope& scope)
      : a_(scope.add("scale", {shape.layers, shape.heads}, uniform(2.0))),
        b_(scope.add(power ? "exponent" : "rate", {shape.layers, shape.heads}, uniform(1.0))) {}

  void bias(View<const T> n, HeadAt at, View<T> out, Pass<T>& pass) const override {
    const T r1 = positive(pass.value(a_)(at.layer, at.head));
    const T r2 = positive(pass.value(b_)(at.layer, at.head));
    for (Index k = 0; k < n.cols; ++k) out(0, k) = -r1 * kernel(std::abs(n(0, k)), r2).value;
  }

  // With bias = -r1 K(n, r2):  da = -sign(a) Σ_n D_n K,  db = -sign(b) r1 Σ_n D_n ∂K/∂r2.
  void bias_backward(View<const T> n, View<const T> d, HeadAt at, Pass<T>& pass) const override {
    const T a = pass.value(a_)(at.layer, at.head);
    const T b = pass.value(b_)(at.layer, at.head);
    T by_value = T(0);
    T by_slope = T(0);
    for (Index c = 0; c < n.cols; ++c) {
      const Kernel k = kernel(std::abs(n(0, c)), positive(b));
      by_value += d(0, c) * k.value;
      by_slope += d(0, c) * k.slope;
    }
    pass.gradient(a_)(at.layer, at.head) -= std::copysign(T(1), a) * by_value;
    pass.gradient(b_)(at.layer, at.head) -= std::copysign(T(1), b) * positive(a) * by_slope;
  }

 private:
  struct Kernel {
    T value;
    T slope;  // derivative in r2
  };
  Kernel kernel(T n, T r2) const {
    if (!power) return {rounded(std::log1p(static_cast<double>(r2 * n))), n / (T(1) + r2 * n)};
    if (n == T(0)) return {T(0), T(0)};  // n^r2 log n goes to 0
    const T value = rounded(std::pow(static_cast<double>(n), static_cast<double>(std::min(r2, T(2)))));
    return {value, r2 < T(2) ? value * rounded(std::log(static_cast<double>(n))) : T(0)};
  }
  static T rounded(double value) { return static_cast<T>(value); }
  static T positive(T parameter) { return T(0.01) + std::abs(parameter); }

  Slot a_;  // (layers, heads)
  Slot b_;
};

template <typename T>
using KerpleLog = Kerple<T, false>;
template <typename T>
using KerplePower = Kerple<T, true>;

// `bias` with n for the distance, `second` the name of b.
EncodingEntry entry_of(const std::string& name, const std::string& bias, const std::string& second) {
  return {.name = name,
          .formula = fmt::format("q·k/√d_h - {}, n = |i - j|", bias),
          .source = "Chi et al. 2022, §3",
          .shift_invariant = true,
          .maps_distances = true,
          .definition = fmt::format(R"(score_ij = q_i·k_j/√d_h - {},  n = |p_i - p_j|, any real number,
  r1 = 0.01 + |a[l, h]|,  r2 = 0.01 + |b[l, h]|   for head h of layer l.
The bias is not divided by √d_h.
Parameters:
  positional.{}.scale  a  (layers, H)  uniform in (-2, 2)
  positional.{}.{}  b  (layers, H)  uniform in (-1, 1))",
                                    bias, name, name, second)};
}

}  // namespace

EncodingEntry kerple_log_encoding() {
  return describe_encoding<KerpleLog>(entry_of("kerple_log", "r1 ln(1 + r2 n)", "rate"));
}

EncodingEntry kerple_power_encoding() {
  return describe_encoding<KerplePower>(entry_of("kerple_power", "r1 n^min(r2, 2), 0 for n = 0", "exponent"));
}

}  // namespace ordinal
