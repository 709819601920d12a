// The sizes of the model around a part, and its range of positions. Many option defaults are derived from
// them.
#pragma once

#include "framework/core/tensor.h"

namespace ordinal {

struct ModelShape {
  Index d_model = 64;
  Index heads = 4;
  Index n_kv_heads = 4;
  Index layers = 2;  // attention layers
  bool causal = true;
  Index train_length = 64;  // the model knows positions up to this length in tokens
  Index positions = 64;     // positions in training are below this
  Index longest = 0;        // positions in training and in the test are below this; 0: unknown

  Index d_head() const { return d_model / heads; }
};

}  // namespace ordinal
