// Evaluation: the loss of every token of a batch, without gradients and without the logits of all tokens at
// once, so that sequences of 65,536 tokens fit in ordinary memory.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "framework/attention/attention_run.h"
#include "framework/core/threads.h"
#include "framework/positional/position_scheme.h"
#include "framework/training/batch.h"
#include "framework/training/model.h"

namespace ordinal {

/// For each target of a batch, row-major (size, seq_len): the loss in nats and whether the most likely
/// token was the target. Ignored targets hold 0 and 0.
struct TokenScores {
  std::vector<double> losses;
  std::vector<char> hits;
};

template <typename T>
class Evaluator {
 public:
  static constexpr Index logit_rows = 512;  // rows of logits held at a time

  /// Scoring calls `stopped` every few milliseconds, on any thread, and throws Stopped if it returns true. `model`, `values`, which
  /// are those of its layout, and `threads` must outlive this object. Throws ConfigError for a value that an option of the scheme
  /// rejects.
  Evaluator(const Model<T>& model, const Parameters<T>& values, Threads& threads,
            const PositionScheme& scheme = {}, AttentionTest attention = {},
            std::function<bool()> stopped = {});

  /// Several threads score the sequences one by one; the scores do not depend on the number of threads.
  /// Random positions are those of example `first` and those after it. Throws as check_batch() and batch_positions() do, and what
  /// the model throws.
  TokenScores score(const Batch& batch, const RandomKey& first = {});

  /// Bytes of activation memory held.
  Index memory_bytes() const;

 private:
  void score_sequence(const Batch& batch, Index sequence, const Positions& positions, Pass<T>& pass,
                      TokenScores& scores) const;

  const Model<T>& model_;
  Threads& threads_;
  PositionScheme scheme_;
  AttentionRun<T> attention_;
  std::function<bool()> stopped_;
  std::vector<std::unique_ptr<Pass<T>>> passes_;  // one per thread
};

}  // namespace ordinal
