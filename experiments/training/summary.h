// What a transformer costs: its table of parameters, floating-point operations and memory; and all that its training and
// scoring need, for --dry-run and the start of a run.
#pragma once

#include <algorithm>
#include <string>

#include "experiments/settings/plan.h"
#include "framework/training/trainer.h"
#include "models/transformer.h"

namespace ordinal::experiments {

/// Floating-point operations of a training step for one token: forward and backward are three times as many as forward. A
/// product of (m, k) and (k, n) is 2mkn. Attention is as if every token saw every other one: scores and values are
/// 4·seq_len·d_model per token and layer, whatever the mask, a window or the chunks of linear attention leave.
double training_flops_per_token(const Transformer<float>& model, Index seq_len);

/// The most bytes of activations that a first run over sequences holds, forward and backward if it is recorded. Measured in
/// a run over zeros, and above 1,024 tokens, from where memory grows linearly, extrapolated. 0 for a model whose parameters alone do
/// not fit into memory.
double held_bytes(const Transformer<float>& model, Index sequences, Index seq_len, bool record);

/// The bytes that training or scoring a model holds.
struct MemoryNeed {
  double model = 0.0;  // whatever the number of threads
  double run = 0.0;    // of a run, one on each thread at a time
  Index runs = 1;

  /// Of several models, on this many threads together.
  double bytes(int threads, int models = 1) const {
    return models * model + static_cast<double>(std::min(Index{threads}, models * runs)) * run;
  }
};

/// What a Trainer holds for batches of `batch` sequences of seq_len tokens: values, state of the optimizer, and gradients of
/// each shard; the part of a shard that a thread computes at a time. Throws as check_shards() and sequences_at_once() do.
MemoryNeed training_memory(const Transformer<float>& model, const TrainerOptions& options, Index batch,
                           Index seq_len);

struct Workload {
  Index parameters = 0;
  bool one_length = true;  // of all batches
  double flops = 0.0;      // mean over lengths
  MemoryNeed training;     // with batches of the length that needs most
  MemoryNeed scoring;  // the model from its file and a batch of the longest length, in addition to training
  Index scored_seq_len = 0;
  std::string
      positions;  // of training and, if different, the test: "positions contiguous, in the test yarn, s 4, …"
  std::string constants;  // of the encoding
};

/// The tokens of the longest piece of a sequence of `length` that is scored at once under any of evaluate.conditions; 0 if the
/// model cannot be tested under any. Throws ConfigError for a condition whose options contradict each other, and as
/// tests_of() does.
Index longest_piece(const Plan& plan, const Transformer<float>& model, Index length);

/// Throws ConfigError if no training example of the longest length has a target, as far as 100,000 tokens show.
void check_targets(const Plan& plan);

/// The workload of training `model` by this plan.
Workload workload(const Plan& plan, const Transformer<float>& model);

/// A table of the name, shape, number of elements and forward FLOPs per token of each parameter, and the
/// totals; then the positional encoding in effect and its constants.
std::string summary(const Transformer<float>& model, Index seq_len);

}  // namespace ordinal::experiments
