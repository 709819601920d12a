// The input of a training step: `size` sequences of `seq_len` tokens and the targets to predict.
#pragma once

#include <vector>

#include "framework/core/random.h"
#include "framework/core/tensor.h"
#include "framework/positional/position_scheme.h"

namespace ordinal {

/// Row-major (size, seq_len) tokens and targets; targets[i] is what the model should predict after reading
/// tokens[i], or ignore_index.
struct Batch {
  Index size = 0;
  Index seq_len = 0;
  std::vector<Token> tokens;
  std::vector<Token> targets;
  std::vector<double> positions = {};  // row-major (size, seq_len): from a task, for the scheme `task`
};

/// Throws std::invalid_argument unless size and seq_len are positive and there are size · seq_len tokens and targets;
/// DataError for a token outside [0, vocab_size), or a target that is neither in that range nor ignore_index.
void check_batch(const Batch& batch, Index vocab_size);

/// The positions of `size` examples starting at `first`: from the scheme, or for the scheme `task` from those of the batch.
/// Throws PositionError as make_positions() does, and if the batch lacks positions that the scheme needs.
Positions batch_positions(const PositionScheme& scheme, const Batch& batch, Index first, Index size,
                          const RandomKey& key);

}  // namespace ordinal
