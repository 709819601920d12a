// The one struct that describes a transformer.
#pragma once

#include <string>

#include "framework/core/model_shape.h"
#include "framework/core/options.h"
#include "framework/core/part.h"

namespace ordinal {

/// A decoder-only (causal) or encoder-only (bidirectional) transformer, or another sequence model if its
/// block has other branches. Parts are named as in a config, optionally with options: "rope(base=500)".
struct ModelConfig {
  Index vocab_size = 256;
  Index d_model = 64;
  Index layers = 2;  // blocks
  Index heads = 4;
  Index n_kv_heads = 0;                        // 0: as many as heads
  PartList block = "attention, feed_forward";  // the branches of a block, in order
  PartList norm = "layernorm";
  std::string norm_placement = "pre";
  bool causal = true;
  bool bias = true;
  bool tied_output = true;
  bool scale_embedding = true;       // token embeddings times √d_model before PE is added
  PartList init = "fan_in";          // what weights of products start with
  double embedding_sd = 0.0;         // initial, of token embeddings; 0: 1/√d_model
  double dropout = 0.0;              // after each branch
  double positional_dropout = 0.0;   // on x + PE
  PartList encoding = "sinusoidal";  // one positional encoding, or several joined by +
  Index train_length = 64;           // length in tokens up to which the model knows positions
  Index positions = 0;               // training positions lie below it; 0: train_length
  Index longest = 0;                 // and those of the test; 0: not known

  /// Visits the model's settings under their config keys, except `causal` and the lengths.
  void visit(OptionVisitor& v);

  Index kv_heads() const { return n_kv_heads > 0 ? n_kv_heads : heads; }
};

/// The shape for which the model's parts are built.
ModelShape shape_of(const ModelConfig& config);

}  // namespace ordinal
