#include "experiments/runs/windows.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace ordinal::experiments {
namespace {

// `count` windows of every sequence, from window `first` on, `size` tokens each: the rows of a batch.
struct Cut {
  Index first = 0;
  Index count = 0;
  Index size = 0;
};

// Where row `row` of a cut begins in the batch.
Index begin_of(Index row, const Cut& cut, const Batch& batch, Index stride) {
  const Index sequence = row / cut.count;
  return sequence * batch.seq_len + (cut.first + row % cut.count) * stride;
}

Batch cut_out(const Cut& cut, const Batch& batch, Index stride) {
  Batch rows{batch.size * cut.count, cut.size, {}, {}};
  for (Index row = 0; row < rows.size; ++row) {
    const Index begin = begin_of(row, cut, batch, stride);
    const auto append = [&](const std::vector<Token>& from, std::vector<Token>& to) {
      to.insert(to.end(), from.begin() + begin, from.begin() + begin + cut.size);
    };
    append(batch.tokens, rows.tokens);
    append(batch.targets, rows.targets);
  }
  return rows;
}

// Keeps the scores of targets that no earlier window holds: all of window 0, the last ones of the others.
void keep_new(const TokenScores& of_rows, const Cut& cut, const Batch& batch, const Windows& windows,
              TokenScores& scores) {
  for (Index row = 0; row < batch.size * cut.count; ++row) {
    const bool is_first = cut.first + row % cut.count == 0;
    const Index seen = is_first ? 0 : windows.size - windows.stride;
    const Index from = row * cut.size + seen;
    const Index to = begin_of(row, cut, batch, windows.stride) + seen;
    std::copy_n(of_rows.losses.begin() + from, cut.size - seen, scores.losses.begin() + to);
    std::copy_n(of_rows.hits.begin() + from, cut.size - seen, scores.hits.begin() + to);
  }
}

Batch sequence_of(const Batch& batch, Index sequence) {
  const auto slice = [&](const std::vector<Token>& all) {
    const auto begin = all.begin() + sequence * batch.seq_len;
    return std::vector<Token>(begin, begin + batch.seq_len);
  };
  return {1, batch.seq_len, slice(batch.tokens), slice(batch.targets)};
}

// Random positions are those of an example of its own for each window, however examples are batched.
TokenScores score_sequence(Evaluator<float>& evaluator, const Batch& sequence, const Windows& windows,
                           std::uint32_t example) {
  const auto [size, stride] = windows;
  TokenScores scores{std::vector<double>(sequence.tokens.size()), std::vector<char>(sequence.tokens.size())};
  const Cut whole{0, (sequence.seq_len - size) / stride + 1, size};
  const std::uint32_t first_row = example * static_cast<std::uint32_t>(whole.count);
  keep_new(evaluator.score(cut_out(whole, sequence, stride), first_row), whole, sequence, windows, scores);
  const Cut rest{whole.count, 1, sequence.seq_len - whole.count * stride};
  if (rest.size > size - stride) {
    keep_new(evaluator.score(cut_out(rest, sequence, stride), example), rest, sequence, windows, scores);
  }
  return scores;
}

}  // namespace

TokenScores score_in_windows(Evaluator<float>& evaluator, const Batch& batch, const Windows& windows,
                             std::uint32_t first_example) {
  const auto [size, stride] = windows;
  if (stride < 1 || stride > size) {
    throw std::invalid_argument(
        fmt::format("score_in_windows: got stride {}, expected 1 to the size of a window, {}", stride, size));
  }
  if (batch.seq_len <= size) return evaluator.score(batch, first_example);
  TokenScores scores;
  for (Index s = 0; s < batch.size;
       ++s) {  // one by one: the windows of a sequence hold size/stride times its tokens
    const TokenScores own = score_sequence(evaluator, sequence_of(batch, s), windows,
                                           first_example + static_cast<std::uint32_t>(s));
    scores.losses.insert(scores.losses.end(), own.losses.begin(), own.losses.end());
    scores.hits.insert(scores.hits.end(), own.hits.begin(), own.hits.end());
  }
  return scores;
}

}  // namespace ordinal::experiments
