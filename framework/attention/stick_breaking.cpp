// Stick-breaking attention (Tan et al. 2024): weights of a row of scores without a softmax.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "framework/attention/attention_weights.h"
#include "framework/math/vector_math.h"

namespace ordinal {
namespace {

// If x is larger than this, e^-x is about the smallest normal number, or less.
template <typename T>
constexpr double vanishing = -std::numeric_limits<T>::min_exponent* std::numbers::ln2;

// Goes left from the query's own token. Key j gets the share β_j = σ(z_j) of what remains of a stick:
//   w_j = β_j Π_{j < k < i} (1 - β_k)  for j < i,   w_i = Π_{k < i} (1 - β_k).
// The query's own token i = n - 1 gets the rest, so the weights sum to 1. Its score is not read. `row` holds the
// scores z (n) on entry, w on return. In logarithms, ln(1 - σ(z)) = -ln(1 + e^z), so that nothing overflows. n >= 1.
//
// Computes the exponents of a few keys at a time, from the last key on. Their sum is a double: over thousands
// of keys, a float would lose the last digits of each. Once nothing of the stick is left, the remaining keys get weight zero.
template <typename T>
void stick_breaking(T* row, Index n) {
  constexpr Index at_a_time = 64;
  std::array<T, at_a_time> rest{};
  double taken = 0.0;  // -ln of what remains
  Index end = n - 1;
  while (end > 0 && !(taken > vanishing<T>)) {
    const Index first = std::max<Index>(end - at_a_time, 0);
    vmath::softplus(row + first, rest.data(), end - first);
    for (Index j = end - 1; j >= first; --j) {
      const auto of_key = static_cast<double>(rest[static_cast<std::size_t>(j - first)]);
      row[j] = static_cast<T>(static_cast<double>(row[j]) - of_key - taken);
      taken += of_key;
    }
    vmath::exp_shifted(row + first, T(0), row + first, end - first);
    end = first;
  }
  std::fill_n(row, end, T(0));
  row[n - 1] = taken > vanishing<T> ? T(0) : static_cast<T>(std::exp(-taken));
}

// The same for `row`, plus the gradient: d = dw on entry and dz on return, with dz_i = 0. `shares` (n) gets β.
// With g_j = w_j dw_j = ∂ℓ/∂ln w_j: ln w_m contains ln β_m, and ln(1 - β_j) for all m < j and for m = i, so
//   dz_j = (1 - β_j) g_j - β_j (g_i + Σ_{m < j} g_m).
template <typename T>
void stick_breaking_backward(T* row, T* d, T* shares, Index n) {
  vmath::sigmoid(row, shares, n - 1);
  stick_breaking(row, n);
  double further = static_cast<double>(row[n - 1]) * static_cast<double>(d[n - 1]);
  for (Index j = 0; j < n - 1; ++j) {
    const double g = static_cast<double>(row[j]) * static_cast<double>(d[j]);
    d[j] = static_cast<T>(g - static_cast<double>(shares[j]) * (g + further));
    further += g;
  }
  d[n - 1] = T(0);
}

/// Leaves the weights themselves.
template <typename T>
class StickBreakingWeights final : public AttentionWeights<T> {
 public:
  StickBreakingWeights(Index /*heads*/, const Scope& /*scope*/) {}

  // The shares β cannot be recovered from the weights at full precision.
  bool keeps() const override { return false; }

  void forward(const ScoreBlock<T>& block, View<T> scores, View<T> sums, Pass<T>& /*pass*/) const override {
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

}  // namespace ordinal
