#include "experiments/conditions/windows.h"

#include <algorithm>

namespace ordinal::experiments {
namespace {

// `count` windows of `size` tokens, the first from `begin` on, without the targets of the first `held` tokens, which windows before
// them score. The first window of a sequence has all its targets.
Batch cut(const Batch& batch, Index begin, Index count, Index size, Index stride, Index held) {
  Batch windows{count, size, {}, {}};
  for (Index window = 0; window < count; ++window) {
    const auto append = [&](const std::vector<Token>& from, std::vector<Token>& to) {
      to.insert(to.end(), from.begin() + begin + window * stride,
                from.begin() + begin + window * stride + size);
    };
    append(batch.tokens, windows.tokens);
    append(batch.targets, windows.targets);
    if ((begin + window * stride) % batch.seq_len != 0)
      std::fill_n(windows.targets.end() - size, held, ignore_index);
  }
  return windows;
}

}  // namespace

TokenScores score_in_windows(Evaluator<float>& evaluator, const Batch& batch, const Windows& windows,
                             const RandomKey& first) {
  const Index size = windows.size;
  const Index stride = windows.stride;
  if (batch.seq_len <= size) return evaluator.score(batch, first);
  TokenScores scores{std::vector<double>(batch.tokens.size()), std::vector<char>(batch.tokens.size())};
  // From the last window to the first, so that each target keeps the score of the first window that holds it.
  const auto score_cut = [&](Index begin, Index count, Index tokens, const RandomKey& key) {
    const TokenScores own = evaluator.score(cut(batch, begin, count, tokens, stride, size - stride), key);
    for (Index window = count; window-- > 0;) {
      std::copy_n(own.losses.begin() + window * tokens, tokens,
                  scores.losses.begin() + begin + window * stride);
      std::copy_n(own.hits.begin() + window * tokens, tokens, scores.hits.begin() + begin + window * stride);
    }
  };
  // One sequence at a time, because its windows hold size/stride times its tokens. Each window draws random positions as a
  // separate example, however examples are batched.
  const Index count = (batch.seq_len - size) / stride + 1;
  const Index rest = batch.seq_len - count * stride;
  for (Index s = 0; s < batch.size; ++s) {
    RandomKey example = first;
    example.example += static_cast<std::uint32_t>(s);
    RandomKey first_window = example;
    first_window.example *= static_cast<std::uint32_t>(count);
    const Index begin = s * batch.seq_len;
    if (rest > size - stride) score_cut(begin + count * stride, 1, rest, example);
    score_cut(begin, count, size, first_window);
  }
  return scores;
}

}  // namespace ordinal::experiments
