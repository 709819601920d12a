// The input of a training step: `size` sequences of `seq_len` tokens and the targets to predict.
#pragma once

#include <vector>

#include "framework/core/tensor.h"
#include "framework/core/token.h"

namespace ordinal {

/// Row-major (size, seq_len) tokens and targets; targets[i] is what the model should predict after reading
/// tokens[i], or ignore_index.
struct Batch {
  Index size = 0;
  Index seq_len = 0;
  std::vector<Token> tokens;
  std::vector<Token> targets;
};

/// Throws std::invalid_argument unless size and seq_len are positive and there are size · seq_len tokens and targets;
/// DataError for a token outside [0, vocab_size), or a target that is neither there nor ignore_index.
void check_batch(const Batch& batch, Index vocab_size);

}  // namespace ordinal
