// The cost of a transformer: its table of parameters, floating-point operations and memory.
#pragma once

#include <algorithm>
#include <string>

#include "framework/training/trainer.h"
#include "models/transformer.h"

namespace ordinal::experiments {

/// Floating-point operations of a training step for one token: forward and backward are three times as many as
/// forward, which model.cost(seq_len) has. A product of (m, k) and (k, n) is 2mkn. Attention is not discounted for
/// causality: scores and values are 4·seq_len·d_model per token and layer.
double training_flops_per_token(const Transformer<float>& model, Index seq_len);

/// Bytes that a recorded run over this many sequences holds at most, forward and backward.
double recorded_memory_bytes(const Transformer<float>& model, Index sequences, Index seq_len,
                             Index element_bytes);

/// The bytes that a Trainer holds.
struct TrainingMemory {
  double parameters = 0.0;  // values, state of the optimizer, and gradients of each shard
  double run = 0.0;         // of the run over the part of a shard that a thread computes at a time
  Index shards = 1;

  /// Of several trainings, on this many threads together.
  double bytes(int threads, int trainings = 1) const {
    return trainings * parameters + static_cast<double>(std::min(Index{threads}, trainings * shards)) * run;
  }
};
/// For batches of `batch` sequences of seq_len tokens. Throws as check_shards() and sequences_at_once() do.
TrainingMemory training_memory(const Transformer<float>& model, const TrainerOptions& options, Index batch,
                               Index seq_len);

/// Bytes for scoring a sequence: the activations of a run without recording.
double scoring_memory_bytes(const Transformer<float>& model, Index seq_len, Index element_bytes);

/// A table of the name, shape, number of elements and forward FLOPs per token of each parameter, and the
/// totals; then the positional encoding in effect and its constants.
std::string summary(const Transformer<float>& model, Index seq_len);

}  // namespace ordinal::experiments
