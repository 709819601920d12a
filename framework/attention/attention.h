// Multi-head self-attention with grouped key/value heads, in blocks of query rows. Memory is O(L·d), and O(L²)
// only when training on short sequences. head_attention.h computes one head.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "framework/attention/head_attention.h"
#include "framework/attention/head_columns.h"
#include "framework/layers/layer_registry.h"
#include "framework/layers/linear.h"
#include "framework/positional/positional_encoding.h"

namespace ordinal {

struct AttentionOptions {
  std::string weights = "softmax";
  Index window = 0;              // number of most recent keys that a query sees; 0: all
  std::string encoding = "all";  // the parts that act on the queries, keys, scores and values of this layer
  std::string qk_norm = "none";
  double softcap = 0.0;

  void visit(OptionVisitor& v) {
    v.choice("weights", weights, attention_weights().names(), "how scores become weights");
    v.integer("window", window, automatic_or(1, largest_count),
              "number of most recent keys that a query sees, also in training; 0: all. Causal models only");
    v.text(
        "encoding", encoding,
        "encodings that act on the queries, keys, scores and values of this layer: all, none, or some in the "
        "order of the model's, such as rope+t5");
    v.part("qk_norm", qk_norm, norms_or_none(),
           "norm applied to the queries and the keys of each head before encodings");
    v.number("softcap", softcap, between(0, 1000),
             "c: scores z, including encoding terms, become c tanh(z/c); 0: no cap");
  }
  /// The names of all norms, and "none".
  static std::vector<std::string> norms_or_none();
  /// Throws ConfigError if a bidirectional model has a window or weights that are causal only.
  void resolve(const ModelShape& shape);
};

/// For each head h, whose q, k and v are slices of one product x W_qkvᵀ + b:
///   S = q kᵀ / √d_head (+ the encoding's term),  P = softmax of the visible part of each row,  o_h = P v
///   y = [o_1 … o_H] W_outᵀ + b
/// For other choices of P, see attention_weights.h. qk_norm first normalises q and k (after Henry et al. 2020,
/// but by a norm with a gain, as in Qwen 3). softcap replaces S by c tanh(S/c) (Gemma 2, Riviere et al. 2024).
/// Vaswani et al. 2017, §3.2. Each group of heads / n_kv_heads query heads shares one key/value head (Ainslie
/// et al. 2023). Causal: row i sees keys 0…i. If the run has a cache, rows also see all cached tokens.
///
/// Rows of W_qkv (and of its bias): heads·d_head for the queries, then n_kv_heads·d_head for the keys, then as
/// many for the values.
template <typename T>
class SelfAttention final : public Layer<T> {
 public:
  struct Options {
    ModelShape shape = {};
    bool bias = true;
    double output_scale = 0.02;  // initial standard deviation of W_out
    Index layer = 0;             // number of the layer: encodings may have parameters for each
    Index block_rows = 64;       // query rows per block of scores
    Index kept_length = 256;     // see HeadAttention::Options
    AttentionOptions own = {};
  };

  /// Throws std::invalid_argument if heads does not divide d_model, n_kv_heads does not divide heads, block_rows is below 1, or
  /// `encoding` was built for a different attention; ConfigError if own.encoding names an encoding that the model does not have,
  /// or an option is out of range.
  SelfAttention(const Options& options, const PositionalEncoding<T>& encoding, const Scope& scope);
  /// As a branch of a block. Throws std::invalid_argument if the context has no encoding.
  SelfAttention(const LayerContext<T>& context, const AttentionOptions& options, const Scope& scope);

  Index input_width() const override { return options_.shape.d_model; }
  Index output_width() const override { return options_.shape.d_model; }
  Mixing mixing() const override { return options_.shape.causal ? Mixing::cached : Mixing::uncached; }
  Cost cost(Index seq_len) const override;
  View<const T> forward(View<const T> x, Pass<T>& pass) const override;
  View<const T> backward(View<const T> dy, Pass<T>& pass) const override;

 private:
  using Heads = typename HeadAttention<T>::Heads;
  template <typename Element>
  using Output = typename HeadAttention<T>::template Output<Element>;

  /// Of all heads and tokens.
  template <typename Element>
  struct Projected {
    View<Element> query;
    View<Element> key;
    View<Element> value;
  };

  Cost cost_of_norms(Index seq_len) const;
  LayerAt at(const Pass<T>& pass) const;
  Projected<T> project(View<const T> x, Pass<T>& pass) const;
  View<T> normalised(View<T> heads, const Layer<T>* norm, Pass<T>& pass) const;
  void normalise_backward(View<T> d_heads, const Layer<T>* norm, Pass<T>& pass) const;
  Heads of_sequence(const Projected<const T>& all, Index sequence, const Pass<T>& pass) const;
  template <typename Element>
  Output<Element> of_sequence(const Output<Element>& all, Index sequence, const Pass<T>& pass) const;

  Options options_;
  HeadColumns columns_;
  PositionalEncoding<T> encoding_;  // the parts that act in this layer
  HeadAttention<T> head_attention_;
  Linear<T> qkv_;
  Linear<T> output_;
  std::unique_ptr<Layer<T>> query_norm_;  // null without qk_norm
  std::unique_ptr<Layer<T>> key_norm_;
  StateSlot keys_;  // cached after encode_query_key
  StateSlot values_;
};

}  // namespace ordinal
