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
  std::vector<double> positions = {};  // row-major (size, seq_len): what a task gives, for the scheme `task`
};

/// Throws std::invalid_argument unless size and seq_len are positive and there are size · seq_len tokens and targets;
/// DataError for a token outside [0, vocab_size), or a target that is neither there nor ignore_index.
void check_batch(const Batch& batch, Index vocab_size);

/// The positions of `size` examples from `first` on: the scheme's, for Kind::task made from those of the batch.
/// Throws PositionError as make_positions(), and for a batch without the positions that the scheme asks for.
Positions batch_positions(const PositionScheme& scheme, const Batch& batch, Index first, Index size,
                          const RandomKey& key);

}  // namespace ordinal
