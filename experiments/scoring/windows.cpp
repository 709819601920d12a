#include "experiments/scoring/windows.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace ordinal::experiments {
namespace {

// `count` windows of one sequence of a batch, from window `first` on, `size` tokens each.
struct Cut {
  Index sequence = 0;
  Index first = 0;
  Index count = 0;
  Index size = 0;
};

// Where a window of a cut begins in the batch.
Index begin_of(Index window, const Cut& cut, const Batch& batch, Index stride) {
  return cut.sequence * batch.seq_len + (cut.first + window) * stride;
}

Batch cut_out(const Cut& cut, const Batch& batch, Index stride) {
  Batch windows{cut.count, cut.size, {}, {}};
  for (Index window = 0; window < cut.count; ++window) {
    const Index begin = begin_of(window, cut, batch, stride);
    const auto append = [&](const std::vector<Token>& from, std::vector<Token>& to) {
      to.insert(to.end(), from.begin() + begin, from.begin() + begin + cut.size);
    };
    append(batch.tokens, windows.tokens);
    append(batch.targets, windows.targets);
  }
  return windows;
}

// Keeps the scores of targets that no earlier window holds: all of window 0, the last ones of the others.
void keep_new(const TokenScores& of_windows, const Cut& cut, const Batch& batch, const Windows& windows,
              TokenScores& scores) {
  for (Index window = 0; window < cut.count; ++window) {
    const Index seen = cut.first + window == 0 ? 0 : windows.size - windows.stride;
    const Index from = window * cut.size + seen;
    const Index to = begin_of(window, cut, batch, windows.stride) + seen;
    std::copy_n(of_windows.losses.begin() + from, cut.size - seen, scores.losses.begin() + to);
    std::copy_n(of_windows.hits.begin() + from, cut.size - seen, scores.hits.begin() + to);
  }
}

// Random positions are those of an example of its own for each window, however examples are batched.
void score_sequence(Evaluator<float>& evaluator, const Batch& batch, Index sequence, const Windows& windows,
                    const RandomKey& example, TokenScores& scores) {
  const auto [size, stride] = windows;
  const Cut whole{sequence, 0, (batch.seq_len - size) / stride + 1, size};
  RandomKey first_row = example;
  first_row.example *= static_cast<std::uint32_t>(whole.count);
  keep_new(evaluator.score(cut_out(whole, batch, stride), first_row), whole, batch, windows, scores);
  const Cut rest{sequence, whole.count, 1, batch.seq_len - whole.count * stride};
  if (rest.size > size - stride) {
    keep_new(evaluator.score(cut_out(rest, batch, stride), example), rest, batch, windows, scores);
  }
}

}  // namespace

TokenScores score_in_windows(Evaluator<float>& evaluator, const Batch& batch, const Windows& windows,
                             const RandomKey& first) {
  const auto [size, stride] = windows;
  if (stride < 1 || stride > size) {
    throw std::invalid_argument(
        fmt::format("score_in_windows: got stride {}, expected 1 to the size of a window, {}", stride, size));
  }
  if (batch.seq_len <= size) return evaluator.score(batch, first);
  TokenScores scores{std::vector<double>(batch.tokens.size()), std::vector<char>(batch.tokens.size())};
  // One by one: the windows of a sequence hold size/stride times its tokens.
  for (Index s = 0; s < batch.size; ++s) {
    RandomKey example = first;
    example.example += static_cast<std::uint32_t>(s);
    score_sequence(evaluator, batch, s, windows, example, scores);
  }
  return scores;
}

}  // namespace ordinal::experiments
