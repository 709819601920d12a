// Multi-head self-attention with grouped key/value heads, in blocks of query rows. Memory is O(L·d), and O(L²)
// only when training on short sequences. head_attention.h computes one head.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "framework/attention/head_attention.h"
#include "framework/attention/head_columns.h"
#include "framework/layers/layer_registry.h"
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

/// [q k v] = x W_qkvᵀ + b (HeadColumns),  o_h of each head by HeadAttention,  y = [o_1 … o_H] W_outᵀ + b; the definition at the
/// end of attention.cpp has the rest. If the run has a cache, rows also see all cached tokens.
template <typename T>
class SelfAttention final : public Layer<T> {
 public:
  /// Throws std::invalid_argument if heads does not divide d_model, n_kv_heads does not divide heads, blocks have no rows, or
  /// the context has no encoding or one that was built for a different attention; ConfigError if options.encoding names an
  /// encoding that the model does not have, or an option is out of range.
  SelfAttention(const LayerContext<T>& context, const AttentionOptions& options, const Scope& scope,
                const AttentionBlocks& blocks = {});

  Index input_width() const override { return shape_.d_model; }
  Mixing mixing() const override { return shape_.causal ? Mixing::cached : Mixing::uncached; }
  View<const T> forward(View<const T> x, Pass<T>& pass) const override;
  View<const T> backward(View<const T> dy, Pass<T>& pass) const override;

 private:
  using Heads = typename HeadAttention<T>::Heads;

  /// Of all heads and tokens.
  template <typename Element>
  struct Projected {
    View<Element> query;
    View<Element> key;
    View<Element> value;
  };

  LayerAt at(const Pass<T>& pass) const;
  Projected<T> project(View<const T> x, Pass<T>& pass) const;
  View<T> normalised(View<T> heads, const Layer<T>* norm, Pass<T>& pass) const;
  void normalise_backward(View<T> d_heads, const Layer<T>* norm, Pass<T>& pass) const;
  Heads of_sequence(const Projected<const T>& all, Index sequence, const Pass<T>& pass) const;

  ModelShape shape_;
  LayerAt at_;
  HeadColumns columns_;
  PositionalEncoding<T> encoding_;  // the parts that act in this layer
  HeadAttention<T> head_attention_;
  Projections<T> projections_;
  std::unique_ptr<Layer<T>> query_norm_;  // null without qk_norm
  std::unique_ptr<Layer<T>> key_norm_;
  StateSlot keys_;  // cached after encode_query_key
  StateSlot values_;
};

}  // namespace ordinal
