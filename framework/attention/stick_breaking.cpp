#include "framework/attention/stick_breaking.h"

#include <algorithm>
#include <cmath>

#include "framework/attention/attention_weights.h"

namespace ordinal {
namespace {

// ln(1 + e^z).
double softplus(double z) { return std::max(z, 0.0) + std::log1p(std::exp(-std::abs(z))); }

// Writes w to `row` and, where it is wanted, β to `shares`. The sum of logarithms is kept in double: over thousands
// of keys a float would lose the last digits of each.
template <typename T>
void break_stick(T* row, T* shares, Index n) {
  double taken = 0.0;  // -ln of what is left
  for (Index j = n - 2; j >= 0; --j) {
    const auto z = static_cast<double>(row[j]);
    const double rest = softplus(z);
    row[j] = static_cast<T>(std::exp(z - rest - taken));
    if (shares != nullptr) shares[j] = static_cast<T>(std::exp(z - rest));
    taken += rest;
  }
  row[n - 1] = static_cast<T>(std::exp(-taken));
}

}  // namespace

template <typename T>
void stick_breaking(T* row, Index n) {
  break_stick<T>(row, nullptr, n);
}

// With g_j = w_j dw_j = ∂ℓ/∂ln w_j: ln w_m contains ln β_m, and ln(1 - β_j) for all m < j and for m = i, so
//   dz_j = (1 - β_j) g_j - β_j (g_i + Σ_{m < j} g_m).
template <typename T>
void stick_breaking_backward(T* row, T* d, T* scratch, Index n) {
  break_stick(row, scratch, n);
  double further = static_cast<double>(row[n - 1]) * static_cast<double>(d[n - 1]);
  for (Index j = 0; j < n - 1; ++j) {
    const double g = static_cast<double>(row[j]) * static_cast<double>(d[j]);
    d[j] = static_cast<T>(g - static_cast<double>(scratch[j]) * (g + further));
    further += g;
  }
  d[n - 1] = T(0);
}

namespace {

/// Leaves the weights themselves.
template <typename T>
class StickBreakingWeights final : public AttentionWeights<T> {
 public:
  // The shares β do not follow from the weights with full precision.
  bool keeps() const override { return false; }

  void forward(const ScoreBlock<T>& block, View<T> scores, View<T> sums) const override {
    for (Index r = 0; r < scores.rows; ++r) {
      const Index visible = block.visible(r);
      stick_breaking(scores.row(r), visible);
      std::fill(scores.row(r) + visible, scores.row(r) + scores.cols, T(0));
      sums(r, 0) = T(0);
      sums(r, 1) = T(1);
    }
  }

  void backward(const ScoreBlock<T>& block, View<T> scores,
                const typename AttentionWeights<T>::Gradient& gradient, Pass<T>& pass) const override {
    const View<T> scratch = pass.allocate(1, scores.cols);
    for (Index r = 0; r < scores.rows; ++r) {
      const Index visible = block.visible(r);
      stick_breaking_backward(scores.row(r), gradient.scores.row(r), scratch.data, visible);
      std::fill(scores.row(r) + visible, scores.row(r) + scores.cols, T(0));
      std::fill(gradient.scores.row(r) + visible, gradient.scores.row(r) + scores.cols, T(0));
    }
  }
};

}  // namespace

WeightsEntry stick_breaking_weights() {
  return describe_weights<StickBreakingWeights>(
      {.name = "stick_breaking",
       .formula = "σ(z_j) Π_{j < k < i} (1 - σ(z_k)) for j < i,  w_ii = Π_{k < i} (1 - σ(z_k))",
       .causal_only = true});
}

template void stick_breaking(float*, Index);
template void stick_breaking(double*, Index);
template void stick_breaking_backward(float*, float*, float*, Index);
template void stick_breaking_backward(double*, double*, double*, Index);

}  // namespace ordinal
