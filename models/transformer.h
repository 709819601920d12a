// The transformer: token embedding, positional encoding, blocks of branches (attention and feed-forward by
// default), a norm, and the output layer. It consists of the framework's layers: it only calls their forward
// in order, and their backward in reverse order.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "framework/layers/dropout.h"
#include "framework/layers/embedding.h"
#include "framework/layers/linear.h"
#include "framework/positional/positional_encoding.h"
#include "framework/training/model.h"
#include "models/model_config.h"

namespace ordinal {

/// x = √d_model E[tokens] (or E[tokens]),  x = dropout(x + PE),  for each branch of each block
/// x = x + branch(norm(x)),  x = norm(x) if pre-norm,  logits = x Eᵀ.
/// "Checkpoints and parity" in framework/README.md, and --list NAME of its parts, list its parameters.
/// Weights start as model.init says. Token embeddings start as N(0, 1/d_model), so after the factor √d_model they are
/// about as large as sines (tensor2tensor).
template <typename T>
class Transformer final : public Model<T> {
 public:
  /// Throws std::invalid_argument or ConfigError for a config that does not describe a transformer.
  explicit Transformer(const ModelConfig& config);

  const ModelConfig& config() const { return config_; }
  Index vocab_size() const override { return config_.vocab_size; }
  const PositionalEncoding<T>& encoding() const { return *encoding_; }
  bool is_causal() const override { return config_.causal; }
  bool can_continue() const override;
  /// The number of attention layers in all blocks.
  Index attention_layers() const { return attention_layers_; }
  /// The number of branches in all blocks that make a token depend on others, including attention layers.
  Index mixing_layers() const;

  View<const T> hidden(std::span<const Token> tokens, Pass<T>& pass) const override;
  View<const T> logits(View<const T> hidden, Pass<T>& pass) const override;
  void backward(std::span<const Token> tokens, View<const T> d_logits, Pass<T>& pass) const override;

 private:
  struct Branch {
    std::string name;
    std::unique_ptr<Layer<T>> layer;  // with its norm and residual
  };

  void add_block(const std::vector<Part>& branches, Index number);

  ModelConfig config_;
  Embedding<T> token_embedding_;
  std::unique_ptr<PositionalEncoding<T>> encoding_;
  Dropout<T> input_dropout_;
  std::vector<Branch> branches_;          // of all blocks
  std::unique_ptr<Layer<T>> final_norm_;  // null if post-norm
  std::unique_ptr<Linear<T>> output_;
  Index attention_layers_ = 0;
};

}  // namespace ordinal
