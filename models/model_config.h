// The one struct that describes a transformer.
#pragma once

#include <string>

#include "framework/positional/positional_encoding.h"

namespace ordinal {

/// A decoder-only (causal) or encoder-only (bidirectional) transformer. Fields carry the names of the config
/// keys in section `model`; `encoding` holds section `positional`, its sizes are filled in from the model's.
struct ModelConfig {
  Index vocab_size = 256;
  Index d_model = 64;
  Index layers = 2;
  Index heads = 4;
  Index n_kv_heads = 0;  // 0: as many as heads
  Index ff = 0;          // hidden units of the feed-forward network; 0: 4·d_model
  std::string norm = "layernorm";
  std::string norm_placement = "pre";
  std::string activation = "gelu";
  bool causal = true;
  bool bias = true;
  bool tied_output = true;
  bool scale_embedding = true;      // token embeddings times √d_model before PE is added
  double dropout = 0.0;             // after attention and after feed-forward
  double positional_dropout = 0.0;  // on x + PE
  EncodingConfig encoding;

  Index kv_heads() const { return n_kv_heads > 0 ? n_kv_heads : heads; }
  Index hidden_units() const { return ff > 0 ? ff : 4 * d_model; }
};

}  // namespace ordinal
