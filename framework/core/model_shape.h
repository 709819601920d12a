// The sizes of the model around a part, and the positions that it will meet: what the defaults of many
// options follow from.
#pragma once

#include "framework/core/tensor.h"

namespace ordinal {

struct ModelShape {
  Index d_model = 64;
  Index heads = 4;
  Index n_kv_heads = 4;
  Index layers = 2;  // of attention
  bool causal = true;
  Index train_length = 64;  // tokens of the sequences whose positions the model knows
  Index positions = 64;     // positions in training lie below it
  Index longest = 0;        // positions in training and in the test lie below it; 0: not known

  Index d_head() const { return d_model / heads; }
};

}  // namespace ordinal
