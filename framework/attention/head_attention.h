// Attention for all heads of one sequence, in blocks of query rows. Memory is O(L·d), and O(L²) only when training on short
// sequences. The projections around it are in attention.h.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "framework/attention/attention_run.h"
#include "framework/attention/attention_weights.h"
#include "framework/attention/head_columns.h"
#include "framework/core/pass.h"
#include "framework/core/tensor.h"
#include "framework/math/blas.h"
#include "framework/positional/positional_encoding.h"

namespace ordinal {

/// How the work is divided.
struct AttentionBlocks {
  Index rows = 64;          // query rows of one block of scores
  Index kept_length = 256;  // up to this length, backward uses kept weights; beyond, it recomputes them
};

/// S = q kᵀ / √d_head (+ the encoding's term),  P = softmax of the visible part of each row, or other weights,
/// o = P v (+ the encoding's term).
template <typename T>
class HeadAttention {
 public:
  struct Options {
    LayerAt at = {};
    std::string weights = "softmax";  // see attention_weights.h
    double softcap = 0.0;             // c: scores S become c tanh(S/c); 0: no cap
    AttentionBlocks blocks = {};
  };

  /// The heads of one sequence, or one of them. Keys may outnumber queries: with a cache, the first `past` keys are older tokens.
  struct Heads {
    Index sequence = 0;
    View<const T> query;  // (seq_len, heads·d_head)
    View<const T> key;    // (past + seq_len, n_kv_heads·d_head)
    View<const T> value;
    std::span<const double> key_positions;
    Index past = 0;
  };

  /// What forward writes.
  template <typename Element>
  struct Output {
    View<Element> out;   // o (seq_len, heads·d_head)
    View<Element> sums;  // (seq_len, 2·heads), as AttentionWeights::forward leaves them
    View<Element> kept;  // (heads·seq_len, seq_len), the weights, or empty

    /// If this holds all sequences of a run: one of them.
    Output of_sequence(Index sequence, const Pass<T>& pass) const {
      const Index rows = kept.rows / pass.batch();
      return {pass.rows_of(out, sequence), pass.rows_of(sums, sequence),
              kept.row_range(sequence * rows, rows)};
    }
  };

  /// What backward reads and writes.
  struct Gradients {
    View<const T> out;  // of o
    View<T> query;
    View<T> key;
    View<T> value;
  };

  /// `encoding` must outlive this object.
  HeadAttention(const PositionalEncoding<T>& encoding, const HeadColumns& columns, const Options& options,
                const Scope& scope)
      : encoding_(encoding),
        columns_(columns),
        options_(options),
        weights_(std::get<WeightsBuilder<T>>(attention_weights().find(options.weights).build)(columns.heads(),
                                                                                              scope)) {}

  /// Whether runs over sequences of this length keep the weights of all rows for backward. With a softcap they do not: its
  /// slope can be computed only from the scores.
  bool keeps(Index seq_len) const {
    return seq_len <= options_.blocks.kept_length && options_.softcap == 0.0;
  }

  void forward(const Heads& all, const Output<T>& output, Pass<T>& pass) const;
  void backward(const Heads& all, const Output<const T>& output, const Gradients& d, Pass<T>& pass) const;

 private:
  template <typename Element>
  Output<Element> of_head(const Output<Element>& all, Index head) const;
  void forward_head(Index head, const Heads& all, const Factor<T>& keys, const Output<T>& output,
                    Pass<T>& pass) const;
  void backward_head(Index head, const Heads& all, const Factor<T>& keys, const Factor<T>& values,
                     const Output<const T>& output, const Gradients& all_d, Pass<T>& pass) const;
  ScoreBlock<T> block_at(Index head, const Heads& all, Index first, const Pass<T>& pass) const;
  void scores_of(const ScoreBlock<T>& block, const Factor<T>& keys, View<T> scores, Pass<T>& pass) const;
  void show(const ScoreBlock<T>& block, Index first, View<const T> weights, View<const T> sums,
            const Pass<T>& pass) const;
  void cap(T* scores, Index count) const;
  View<T> slopes_of(const ScoreBlock<T>& block, View<const T> capped, Pass<T>& pass) const;
  View<const T> weights_backward(const ScoreBlock<T>& block, const Factor<T>& keys,
                                 const Output<const T>& output, Index first, View<const T> d_out,
                                 View<T> d_scores, Pass<T>& pass) const;

  const PositionalEncoding<T>& encoding_;
  HeadColumns columns_;
  Options options_;
  std::unique_ptr<AttentionWeights<T>> weights_;
};

}  // namespace ordinal
