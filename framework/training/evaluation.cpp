#include "framework/training/evaluation.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "framework/layers/cross_entropy.h"

namespace ordinal {
template <typename T>
Evaluator<T>::Evaluator(const Model<T>& model, const Parameters<T>& values, Threads& threads,
                        const PositionScheme& scheme, AttentionTest attention, std::function<bool()> stopped)
    : model_(model),
      threads_(threads),
      scheme_(scheme),
      attention_{.test = attention},
      stopped_(std::move(stopped)) {
  check_options(scheme.name(), scheme);
  for (int i = 0; i < threads.count(); ++i) passes_.push_back(std::make_unique<Pass<T>>(values));
}

template <typename T>
TokenScores Evaluator<T>::score(const Batch& batch, const RandomKey& first) {
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

template <typename T>
void Evaluator<T>::score_sequence(const Batch& batch, Index sequence, const Positions& positions,
                                  Pass<T>& pass, TokenScores& scores) const {
  const auto begin = static_cast<std::size_t>(sequence * batch.seq_len);
  const auto length = static_cast<std::size_t>(batch.seq_len);
  const std::span<const Token> targets = std::span(batch.targets).subspan(begin, length);
  const std::span<double> losses = std::span(scores.losses).subspan(begin, length);

  pass.begin({.positions = positions, .attention = &attention_, .stopped = stopped_ ? &stopped_ : nullptr});
  const View<const T> hidden = model_.hidden(std::span(batch.tokens).subspan(begin, length), pass);
  for (Index first = 0; first < hidden.rows; first += logit_rows) {
    pass.check_stopped();
    const auto frame = pass.scratch_frame();
    const Index rows = std::min(logit_rows, hidden.rows - first);
    const auto offset = static_cast<std::size_t>(first);
    const auto count = static_cast<std::size_t>(rows);
    const View<const T> logits = model_.logits(hidden.row_range(first, rows), pass);
    cross_entropy(logits, targets.subspan(offset, count), losses.subspan(offset, count));
    for (Index r = 0; r < rows; ++r) {
      const Index likeliest = std::max_element(logits.row(r), logits.row(r) + logits.cols) - logits.row(r);
      const std::size_t token = offset + static_cast<std::size_t>(r);
      scores.hits[begin + token] = likeliest == targets[token] ? 1 : 0;
    }
  }
  pass.finish();
}

template <typename T>
Index Evaluator<T>::memory_bytes() const {
  Index bytes = 0;
  for (const auto& pass : passes_) bytes += pass->memory_bytes();
  return bytes;
}

ORDINAL_INSTANTIATE(Evaluator);

}  // namespace ordinal
