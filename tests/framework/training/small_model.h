// A small model and batches for the tests of training.
#pragma once

#include "framework/core/random.h"
#include "framework/training/batch.h"
#include "framework/training/trainer.h"
#include "tests/models/model_rig.h"

namespace ordinal::testing {

inline ModelConfig small_config(double dropout = 0.0) {
  return {.vocab_size = 11,
          .d_model = 16,
          .n_kv_heads = 2,
          .dropout = dropout,
          .positional_dropout = dropout,
          .encoding = "sinusoidal+learned(max_seq_len=64)"};
}

inline TrainerOptions options_with(Index shards) {
  TrainerOptions options;
  options.shards = shards;
  options.schedule = {.name = "cosine", .peak = 1e-2, .steps = 20, .warmup = 3};
  return options;
}

/// A trainer with the model and the threads that it uses.
struct SmallTraining {
  explicit SmallTraining(const TrainerOptions& options = options_with(1),
                         const ModelConfig& config = small_config(), int thread_count = 1)
      : model(config), threads(thread_count), trainer(model, options, threads) {}

  StepResult step(const Batch& batch) { return trainer.step({&batch, 1}); }
  /// The values of the model, copied.
  std::vector<float> values() { return {trainer.values().flat().begin(), trainer.values().flat().end()}; }

  Transformer<float> model;
  Threads threads;
  Trainer<float> trainer;
};

/// Random tokens and targets, some of the targets ignored.
inline Batch random_batch(Index size, Index seq_len, std::uint32_t step) {
  Batch batch{size, seq_len, {}, {}};
  Random random({.seed = 5, .purpose = hash_name("test.batch"), .step = step});
  for (Index i = 0; i < size * seq_len; ++i) {
    batch.tokens.push_back(static_cast<Token>(random.below(11)));
    const bool ignored = random.below(5) == 0;
    batch.targets.push_back(ignored ? ignore_index : static_cast<Token>(random.below(11)));
  }
  return batch;
}

}  // namespace ordinal::testing
