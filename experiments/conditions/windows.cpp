#include "experiments/conditions/windows.h"

#include <fmt/format.h>

#include <algorithm>

#include "framework/core/errors.h"

namespace ordinal::experiments {
namespace {

// `count` windows of `size` tokens. The first begins at `begin` in a batch.
struct Cut {
  Index begin = 0;
  Index count = 0;
  Index size = 0;
  bool is_first = false;  // starts at the first window of its sequence
};

// Scores the windows of a cut, and keeps the scores of targets that no earlier window holds: all targets of the first
// window of a sequence, the last targets of the others.
void score_cut(Evaluator<float>& evaluator, const Batch& batch, const Cut& cut, const Windows& windows,
               const RandomKey& key, TokenScores& scores) {
  Batch own{cut.count, cut.size, {}, {}};
  const auto begin = [&](Index window) { return cut.begin + window * windows.stride; };
  for (Index window = 0; window < cut.count; ++window) {
    const auto append = [&](const std::vector<Token>& from, std::vector<Token>& to) {
      const auto first = from.begin() + begin(window);
      to.insert(to.end(), first, first + cut.size);
    };
    append(batch.tokens, own.tokens);
    append(batch.targets, own.targets);
  }
  const TokenScores own_scores = evaluator.score(own, key);
  for (Index window = 0; window < cut.count; ++window) {
    const Index seen = cut.is_first && window == 0 ? 0 : windows.size - windows.stride;
    const auto keep = [&](const auto& from, auto& to) {
      std::copy_n(from.begin() + window * cut.size + seen, cut.size - seen,
                  to.begin() + begin(window) + seen);
    };
    keep(own_scores.losses, scores.losses);
    keep(own_scores.hits, scores.hits);
  }
}

}  // namespace

void check_windows(const Windows& windows) {
  if (windows.stride <= windows.size) return;
  throw ConfigError(fmt::format("stride {} exceeds size {}, which leaves out targets (lower stride)",
                                windows.stride, windows.size));
}

TokenScores score_in_windows(Evaluator<float>& evaluator, const Batch& batch, const Windows& windows,
                             const RandomKey& first) {
  const auto [size, stride] = windows;
  check_windows(windows);
  if (batch.seq_len <= size) return evaluator.score(batch, first);
  TokenScores scores{std::vector<double>(batch.tokens.size()), std::vector<char>(batch.tokens.size())};
  // One sequence at a time, because its windows hold size/stride times its tokens. Each window draws random positions as a
  // separate example, however examples are batched.
  const Index count = (batch.seq_len - size) / stride + 1;
  const Index rest = batch.seq_len - count * stride;
  for (Index s = 0; s < batch.size; ++s) {
    const Index begin = s * batch.seq_len;
    RandomKey example = first;
    example.example += static_cast<std::uint32_t>(s);
    RandomKey first_window = example;
    first_window.example *= static_cast<std::uint32_t>(count);
    score_cut(evaluator, batch, {begin, count, size, true}, windows, first_window, scores);
    if (rest > size - stride)
      score_cut(evaluator, batch, {begin + count * stride, 1, rest, false}, windows, example, scores);
  }
  return scores;
}

}  // namespace ordinal::experiments
