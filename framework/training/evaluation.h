// Evaluation: the loss of every token of a batch, without gradients and without the logits of all tokens at
// once, so that sequences of 65,536 tokens fit in ordinary memory.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "framework/attention/attention_run.h"
#include "framework/core/threads.h"
#include "framework/layers/cross_entropy.h"
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
            std::function<bool()> stopped = {})
      : model_(model),
        threads_(threads),
        scheme_(scheme),
        attention_{.test = attention},
        stopped_(std::move(stopped)) {
    check_options(scheme.name(), scheme);
    for (int i = 0; i < threads.count(); ++i) passes_.push_back(std::make_unique<Pass<T>>(values));
  }

  /// Several threads score the sequences one by one; the scores do not depend on the number of threads. The model does not run on a
  /// sequence without a target.
  /// Random positions are those of example `first` and those after it. Throws as check_batch() and batch_positions() do, and what
  /// the model throws.
  TokenScores score(const Batch& batch, const RandomKey& first = {}) {
    check_batch(batch, model_.vocab_size());
    TokenScores scores{std::vector<double>(batch.tokens.size()), std::vector<char>(batch.tokens.size())};
    std::atomic<Index> next = 0;
    threads_.run(threads_.count(), [&](Index worker) {
      for (Index sequence = next++; sequence < batch.size; sequence = next++) {
        RandomKey key = first;
        key.example += static_cast<std::uint32_t>(sequence);
        const Positions positions = batch_positions(scheme_, batch, sequence, 1, key);
        score_sequence(batch, sequence, positions, *passes_[static_cast<std::size_t>(worker)], scores);
      }
    });
    return scores;
  }

  /// Bytes of activation memory held.
  Index memory_bytes() const {
    Index bytes = 0;
    for (const auto& pass : passes_) bytes += pass->memory_bytes();
    return bytes;
  }

 private:
  void score_sequence(const Batch& batch, Index sequence, const Positions& positions, Pass<T>& pass,
                      TokenScores& scores) const {
    const Index begin = sequence * batch.seq_len;
    const auto targets = subspan<const Token>(batch.targets, begin, batch.seq_len);
    const auto losses = subspan<double>(scores.losses, begin, batch.seq_len);
    const auto hits = subspan<char>(scores.hits, begin, batch.seq_len);
    if (count_targets(targets) == 0) return;

    pass.begin({.positions = positions, .attention = &attention_, .stopped = stopped_ ? &stopped_ : nullptr});
    const View<const T> hidden =
        model_.hidden(subspan<const Token>(batch.tokens, begin, batch.seq_len), pass);
    for (Index first = 0; first < hidden.rows; first += logit_rows) {
      pass.check_stopped();
      const auto frame = pass.scratch_frame();
      const Index rows = std::min(logit_rows, hidden.rows - first);
      const View<const T> logits = model_.logits(hidden.row_range(first, rows), pass);
      cross_entropy(logits, subspan<const Token>(targets, first, rows), subspan<double>(losses, first, rows));
      for (Index r = 0; r < rows; ++r) {
        const auto token = static_cast<std::size_t>(first + r);
        if (targets[token] == ignore_index) continue;
        const Index likeliest = std::max_element(logits.row(r), logits.row(r) + logits.cols) - logits.row(r);
        hits[token] = likeliest == targets[token] ? 1 : 0;
      }
    }
    pass.finish();
  }

  const Model<T>& model_;
  Threads& threads_;
  PositionScheme scheme_;
  AttentionRun<T> attention_;
  std::function<bool()> stopped_;
  std::vector<std::unique_ptr<Pass<T>>> passes_;  // one per thread
};

}  // namespace ordinal
