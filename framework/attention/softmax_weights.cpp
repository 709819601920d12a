// Softmax, and softmax with a sink, on rows padded to whole vectors.
#include <algorithm>

#include "framework/attention/attention_weights.h"
#include "framework/math/lanes.h"
#include "framework/math/vector_math.h"

namespace ordinal {
namespace {

// The number of visible scores in a row, rounded up to whole vectors.
template <typename T>
Index padded_width(Index visible, Index cols) {
  constexpr Index lanes = Lanes<T>::count;
  return std::min((visible + lanes - 1) / lanes * lanes, cols);
}

// Masks what a padded row reads beyond the visible scores. It processes the whole last vector at once, because a loop over
// the few hidden values costs more than the row's exponentials.
template <typename T>
void mask_padding(T* row, Index visible, Index width) {
  constexpr Index lanes = Lanes<T>::count;
  if (width < lanes) {
    std::fill(row + visible, row + width, masked_score<T>);
    return;
  }
  T* last = row + width - lanes;
  const int seen = static_cast<int>(visible - (width - lanes));
#pragma omp simd
  for (int i = 0; i < static_cast<int>(lanes); ++i) last[i] = i < seen ? last[i] : masked_score<T>;
}

/// forward    m = max_j S_j,   E_j = exp(S_j - m),   P = E/Σ E
/// backward   dS_j = P_j (dP_j - Σ_k P_k dP_k)   since ∂P_k/∂S_j = P_k ([k = j] - P_j)
/// forward leaves E, and m and Σ E in `sums`. HeadAttention divides o by the row sums, which is less work than dividing E, and
/// backward needs only `sums` to recompute E. A sink adds to each row a score s_h, learned for each head, that has no value: m
/// then includes s_h, and the sum includes exp(s_h - m).
template <typename T, bool has_sink>
class Softmax final : public AttentionWeights<T> {
 public:
  using Gradient = typename AttentionWeights<T>::Gradient;

  Softmax(Index heads, const Scope& scope) {
    if constexpr (has_sink) sink_ = scope.add("sink", {heads}, zeros());
  }

  void forward(const ScoreBlock<T>& block, View<T> scores, View<T> sums, Pass<T>& pass) const override {
    for (Index r = 0; r < scores.rows; ++r) {
      T* row = scores.row(r);
      const Index width = padded_width<T>(block.visible(r), scores.cols);
      mask_padding(row, block.visible(r), width);
      const auto [largest, total] = vmath::softmax_exponentials(row, width);  // S becomes E
      std::fill(row + width, row + scores.cols, T(0));
      sums(r, 0) = largest;  // m
      sums(r, 1) = total;    // Σ E
      if constexpr (has_sink) add_sink(pass.value(sink_)(0, block.head), row, width, sums.row(r));
    }
  }

  void backward(const ScoreBlock<T>& block, View<T> scores, const Gradient& gradient,
                Pass<T>& pass) const override {
    for (Index r = 0; r < scores.rows; ++r) {
      T* row = scores.row(r);
      const Index width = padded_width<T>(block.visible(r), scores.cols);
      mask_padding(row, block.visible(r), width);
      vmath::exp_shifted(row, gradient.sums(r, 0), row, width);  // E = exp(S - m)
      std::fill(row + width, row + scores.cols, T(0));
    }
    backward_of_kept(block, scores, gradient, pass);
  }

  // With dP = do vᵀ and δ = do/Σ E: P_ij dP_ij = E_ij δ_i·v_j, and Σ_k P_ik dP_ik = do_i·o_i, so
  //   dS_ij = E_ij (δ_i·v_j - δ_i·o_i). The sink has no dP: ds_h = -Σ_i exp(s_h - m_i) δ_i·o_i.
  void backward_of_kept(const ScoreBlock<T>& block, View<const T> weights, const Gradient& gradient,
                        [[maybe_unused]] Pass<T>& pass) const override {
    for (Index r = 0; r < weights.rows; ++r) {
      T* row = gradient.scores.row(r);
      const Index width = padded_width<T>(block.visible(r), weights.cols);
      const T mean = vmath::dot(gradient.d_out.row(r), gradient.out.row(r), gradient.out.cols);  // δ_i·o_i
      vmath::softmax_backward(weights.row(r), mean, row, width);  // δ_i·v_j becomes dS_ij
      std::fill(row + width, row + weights.cols, T(0));
      if constexpr (has_sink) {
        const T sink = pass.value(sink_)(0, block.head);
        pass.gradient(sink_)(0, block.head) -= exponential(sink - gradient.sums(r, 0)) * mean;
      }
    }
  }

 private:
  static T exponential(T x) {
    vmath::exp_shifted(&x, T(0), &x, 1);
    return x;
  }

  // Rescales E and its sums to the largest of the scores and the sink, and adds the sink to the sum.
  static void add_sink(T sink, T* row, Index width, T* sums) {
    const T largest = std::max(sums[0], sink);
    const T factor = exponential(sums[0] - largest);
    if (factor < T(1)) vmath::scale(factor, row, width);
    sums[0] = largest;
    sums[1] = factor * sums[1] + exponential(sink - largest);
  }

  Slot sink_;  // s (heads); only with a sink
};

template <typename T>
using SoftmaxWeights = Softmax<T, false>;
template <typename T>
using SinkWeights = Softmax<T, true>;

}  // namespace

WeightsEntry softmax_weights() {
  return describe_weights<SoftmaxWeights>({.name = "softmax", .formula = "exp(z_j)/Σ_k exp(z_k)"});
}

// Xiao et al. 2024 explain why attention needs a place to put weight. The learned score per head is from gpt-oss (OpenAI 2025).
WeightsEntry sink_weights() {
  return describe_weights<SinkWeights>(
      {.name = "sink", .formula = "exp(z_j)/(exp(s_h) + Σ_k exp(z_k)), s_h learned for each head"});
}

}  // namespace ordinal
