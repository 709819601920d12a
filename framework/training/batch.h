// What a training step eats: `size` sequences of `seq_len` tokens and the targets to predict.
#pragma once

#include <vector>

#include "framework/core/tensor.h"
#include "framework/core/token.h"

namespace ordinal {

/// Row-major (size, seq_len) tokens and targets; targets[i] is what the model should say after reading
/// tokens[i], or ignore_index.
struct Batch {
  Index size = 0;
  Index seq_len = 0;
  std::vector<Token> tokens;
  std::vector<Token> targets;
};

}  // namespace ordinal
