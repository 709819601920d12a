// The transformer: token embedding, positional encoding, blocks of attention and feed-forward, a norm, and
// the output layer. Composed of the framework's layers; everything it knows how to do by itself is to call
// them in order, and backward in the reverse order.
#pragma once

#include <memory>
#include <vector>

#include "framework/core/key_value_cache.h"
#include "framework/layers/attention.h"
#include "framework/layers/dropout.h"
#include "framework/layers/embedding.h"
#include "framework/layers/linear.h"
#include "framework/training/model.h"
#include "models/model_config.h"

namespace ordinal {

/// The settings of a model's encoding, with the sizes filled in from the model's.
EncodingConfig encoding_for(const ModelConfig& model);

/// x = √d_model E[tokens] (or E[tokens]),  x = dropout(x + PE),  x = block_n(… block_1(x)),  x = norm(x) if
/// pre-norm,  logits = x Eᵀ. Parameter names, with N = 0 … layers - 1:
///   token_embedding.weight (vocab_size, d_model)
///   positional.<encoding>.…                                        as the encoding declares
///   block.N.attention_norm.weight, .bias (d_model)
///   block.N.attention.qkv.weight ((heads + 2·n_kv_heads)·d_head, d_model), .bias
///   block.N.attention.output.weight (d_model, d_model), .bias
///   block.N.feed_forward_norm.weight, .bias (d_model)
///   block.N.feed_forward.up.weight (ff, d_model; twice as many rows if gated), .bias
///   block.N.feed_forward.down.weight (d_model, ff), .bias
///   final_norm.weight, .bias (d_model)                             pre-norm only
///   output.weight (vocab_size, d_model)                            unless tied_output
/// Weights start as N(0, 0.02²), the last of each residual branch as N(0, 0.02²/(2·layers)) (GPT-2).
template <typename T>
class Transformer final : public Model<T> {
 public:
  /// Throws std::invalid_argument or ConfigError for a config that describes no transformer.
  explicit Transformer(const ModelConfig& config);

  const ModelConfig& config() const { return config_; }
  const ParameterLayout& layout() const override { return layout_; }
  Index vocab_size() const override { return config_.vocab_size; }
  const PositionalEncoding<T>& encoding() const { return *encoding_; }

  View<const T> hidden(std::span<const Token> tokens, Pass<T>& pass) const override;
  View<const T> logits(View<const T> hidden, Pass<T>& pass) const override;
  void backward(std::span<const Token> tokens, View<const T> d_logits, Pass<T>& pass) const override;

  /// An empty cache for `capacity` tokens of each of `batch` sequences.
  KeyValueCache<T> make_cache(Index batch, Index capacity) const;

  /// Attention probabilities (seq_len, seq_len) of one head of one block for the first sequence of the pass.
  Tensor<T> attention_map(std::span<const Token> tokens, Index block, Index head, Pass<T>& pass) const;

 private:
  struct Block {
    const SelfAttention<T>* attention = nullptr;  // owned by attention_residual
    const Layer<T>* attention_norm = nullptr;
    std::unique_ptr<Layer<T>> attention_residual;
    std::unique_ptr<Layer<T>> feed_forward_residual;
  };

  Block make_block(Index number, const Scope& scope) const;
  View<const T> embed(std::span<const Token> tokens, Pass<T>& pass) const;

  ModelConfig config_;
  ParameterLayout layout_;
  Embedding<T> token_embedding_;
  std::unique_ptr<PositionalEncoding<T>> encoding_;
  Dropout<T> input_dropout_;
  std::vector<Block> blocks_;
  std::unique_ptr<Layer<T>> final_norm_;  // null if post-norm
  std::unique_ptr<Linear<T>> output_;     // null if tied
};

extern template class Transformer<float>;
extern template class Transformer<double>;

}  // namespace ordinal
