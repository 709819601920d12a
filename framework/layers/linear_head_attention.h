// Linear attention of one head of one sequence: sums of products of features, by chunks of tokens. The projections, the
// features and what the encoding does to them are in layers/linear_attention.cpp.
#pragma once

#include "framework/core/pass.h"
#include "framework/core/tensor.h"

namespace ordinal {

/// With features φ(q_t), φ(k_s), the same turned by the encoding, q'_t and k'_s, and the values v_s:
///   o_t = Σ_s (q'_t·k'_s) v_s / (Σ_s φ(q_t)·φ(k_s) + 1e-6)
/// over s ≤ t, or over all s in an encoder. S = Σ k'_sᵀ v_s and z = Σ φ(k_s) stand for all tokens that were read.
template <typename T>
class LinearHeadAttention {
 public:
  /// Tokens whose sums over each other are products of matrices.
  static constexpr Index chunk_rows = 64;

  /// One query head and the key head that it shares: (seq_len, d_head) each. Or the gradients of these.
  template <typename Element>
  struct Head {
    View<Element> query;  // φ(q)
    View<Element> key;    // φ(k)
    View<Element> turned_query;
    View<Element> turned_key;
    View<Element> value;

    Head rows(Index first, Index count) const {
      return {query.row_range(first, count), key.row_range(first, count),
              turned_query.row_range(first, count), turned_key.row_range(first, count),
              value.row_range(first, count)};
    }
  };

  struct Sums {
    View<T> products;  // S (d_head, d_head)
    View<T> keys;      // z (1, d_head)
  };

  explicit LinearHeadAttention(bool causal) : causal_(causal) {}

  static Sums zero_sums(Index d_head, Pass<T>& pass);

  /// Writes o to `out` (seq_len, d_head) and the denominators to `totals` (seq_len, 1). `sums` are those of the tokens
  /// before the first one, and with all of them on return.
  void forward(const Head<const T>& head, const Sums& sums, View<T> out, View<T> totals, Pass<T>& pass) const;

  /// Adds to `gradient`, from o and the denominators of a forward run without earlier tokens, and the gradient of o.
  void backward(const Head<const T>& head, View<const T> d_out, View<const T> out, View<const T> totals,
                const Head<T>& gradient, Pass<T>& pass) const;

 private:
  // The gradients of numerators n and denominators t.
  struct Upstream {
    View<const T> numerator;
    View<const T> denominator;  // (seq_len, 1)
  };

  Upstream divide(View<const T> d_out, View<const T> out, View<const T> totals, Pass<T>& pass) const;
  void query_backward(const Head<const T>& head, const Upstream& d, const Head<T>& gradient,
                      Pass<T>& pass) const;
  void key_backward(const Head<const T>& head, const Upstream& d, const Head<T>& gradient,
                    Pass<T>& pass) const;

  bool causal_;
};

extern template class LinearHeadAttention<float>;
extern template class LinearHeadAttention<double>;

}  // namespace ordinal
