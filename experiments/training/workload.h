// The cost of a training, and the positions of its tokens: for --dry-run and the start of a run.
#pragma once

#include <string>

#include "experiments/settings/plan.h"
#include "experiments/training/summary.h"

namespace ordinal::experiments {

/// Memory for scoring a model from its file at the longest length, in addition to that for training.
struct ScoringMemory {
  Index seq_len = 0;
  Index sequences = 0;          // to score, one on each thread at a time
  double sequence_bytes = 0.0;  // of activations
  double batch_bytes = 0.0;     // of tokens and scores
  double model_bytes = 0.0;     // of the model while it is read from its file

  /// Of several models, on this many threads together.
  double bytes(int threads, int models = 1) const;
};

struct Workload {
  Index parameters = 0;
  Index steps = 0;
  Index batch = 0;
  Index seq_len = 0;        // of the longest batch
  bool one_length = true;   // all batches have that length
  double flops = 0.0;       // mean over lengths
  TrainingMemory training;  // with batches of the length that needs most
  ScoringMemory scoring;
  std::string
      positions;  // of training and, if different, the test: "positions contiguous, in the test yarn, s 4, …"
  std::string constants;  // of the encoding
};

/// The tokens of the longest piece of a sequence of `length` that is scored at once under any of evaluate.conditions; 0 if the
/// model cannot be tested under any. Throws ConfigError for a condition whose options contradict each other.
Index longest_piece(const Plan& plan, const Transformer<float>& model, Index length);

/// Throws ConfigError if no training example of the longest length has a target, as far as 100,000 tokens show.
void check_targets(const Plan& plan);

/// The workload of training `model` by this plan.
Workload workload(const Plan& plan, const Transformer<float>& model);

}  // namespace ordinal::experiments
