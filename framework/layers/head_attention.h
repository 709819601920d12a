// Attention of one head of one sequence, by blocks of query rows: memory is O(L·d), and O(L²) only where short sequences
// are trained. The projections around it, and the assignment of columns to heads, are in layers/attention.h.
#pragma once

#include <span>
#include <string>

#include "framework/core/blas.h"
#include "framework/core/pass.h"
#include "framework/core/tensor.h"
#include "framework/layers/attention_weights.h"
#include "framework/positional/positional_encoding.h"

namespace ordinal {

/// S = q kᵀ / √d_head (+ the encoding's term),  P = softmax of the visible part of each row, or other weights,
/// o = P v (+ the encoding's term).
template <typename T>
class HeadAttention {
 public:
  struct Options {
    Index layer = 0;  // which layer of the model: encodings may hold parameters for each
    bool causal = true;
    Index block_rows = 64;            // query rows of one block of scores
    std::string weights = "softmax";  // see attention_weights.h
    Index kept_length = 256;  // up to this length weights are kept for backward; others are computed again
  };

  /// Keys may outnumber queries: with a cache, the first `past` keys are older tokens.
  struct Head {
    Index sequence = 0;
    Index index = 0;
    View<const T> query;  // (seq_len, d_head)
    View<const T> key;    // (past + seq_len, d_head)
    View<const T> value;
    std::span<const double> query_positions;
    std::span<const double> key_positions;
    Index past = 0;
  };

  struct Gradients {
    View<const T> out;    // o of the forward pass (seq_len, d_head)
    View<const T> d_out;  // its gradient
    View<const T> sums;   // (seq_len, 2)
    View<const T> kept;   // (seq_len, seq_len), or empty
    View<T> d_query;      // to be written
    View<T> d_key;        // to be written by the first head of a group, added to by the others
    View<T> d_value;
    bool first_of_group = true;
  };

  /// `encoding` must outlive it.
  HeadAttention(const PositionalEncoding<T>& encoding, const Options& options)
      : encoding_(encoding), options_(options), weights_(find_weights<T>(options.weights)) {}

  /// Whether runs over sequences of that length keep the weights of all rows for backward.
  bool keeps(Index seq_len) const { return weights_.keeps() && seq_len <= options_.kept_length; }
  /// Writes o to `out` (seq_len, d_head), and to `sums` (seq_len, 2) and, unless it is empty, to `kept` (seq_len, seq_len)
  /// what AttentionWeights::forward leaves.
  void forward(const Head& head, View<T> out, View<T> sums, View<T> kept, Pass<T>& pass) const;
  void backward(const Head& head, const Gradients& gradients, Pass<T>& pass) const;
  /// P (seq_len, keys).
  Tensor<T> probabilities(const Head& head, Pass<T>& pass) const;

 private:
  ScoreBlock<T> block_at(const Head& head, Index first, const Pass<T>& pass) const;
  void scores_of(const ScoreBlock<T>& block, const Factor<T>& keys, View<T> scores, Pass<T>& pass) const;
  template <typename Visit>
  void for_each_block(const Head& head, View<T> sums, View<T> kept, Pass<T>& pass, const Visit& visit) const;
  View<const T> shares_of(const Gradients& gradients, Index first, Index rows, Pass<T>& pass) const;
  View<const T> weights_backward(const ScoreBlock<T>& block, const Factor<T>& keys,
                                 const Gradients& gradients, Index first, View<const T> d_out,
                                 View<T> d_scores, Pass<T>& pass) const;
  void mix(const ScoreBlock<T>& block, View<const T> weights, View<const T> value, View<T> out,
           Pass<T>& pass) const;

  const PositionalEncoding<T>& encoding_;
  Options options_;
  const AttentionWeights<T>& weights_;
};

extern template class HeadAttention<float>;
extern template class HeadAttention<double>;

}  // namespace ordinal
