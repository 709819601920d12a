// The sizes of the model around a part, and its range of positions, from which many option defaults are
// derived.
#pragma once

#include "framework/core/tensor.h"

namespace ordinal {

struct ModelShape {
  Index d_model = 64;
  Index heads = 4;
  Index n_kv_heads = 4;
  Index layers = 2;  // of attention
  bool causal = true;
  Index train_length = 64;  // length in tokens up to which the model knows positions
  Index positions = 64;     // positions in training lie below it
  Index longest = 0;        // positions in training and in the test lie below it; 0: not known

  Index d_head() const { return d_model / heads; }
};

}  // namespace ordinal
