#include "framework/training/batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <stdexcept>

#include "framework/core/errors.h"

namespace ordinal {
namespace {

// Called in every step, so it allocates nothing unless there is an error.
void check_range(const char* what, const Batch& batch, std::span<const Token> values, Token lowest,
                 Index vocab_size) {
  const auto bad = std::ranges::find_if(values, [&](Token v) { return v < lowest || v >= vocab_size; });
  if (bad == values.end()) return;
  const Index at = bad - values.begin();
  throw DataError(fmt::format("Batch: got {} {} at row {}, column {}, expected 0 to {} (vocab_size {}){}",
                              what, *bad, at / batch.seq_len, at % batch.seq_len, vocab_size - 1, vocab_size,
                              lowest < 0 ? fmt::format(", or {} to ignore it", lowest) : ""));
}

}  // namespace

void check_batch(const Batch& batch, Index vocab_size) {
  if (batch.size < 1 || batch.seq_len < 1) {
    throw std::invalid_argument(fmt::format("Batch: got size {} and seq_len {}, expected at least 1 of each",
                                            batch.size, batch.seq_len));
  }
  const auto fits = [&](const std::vector<Token>& all) {
    return std::ssize(all) / batch.seq_len == batch.size && std::ssize(all) % batch.seq_len == 0;
  };
  if (!fits(batch.tokens) || !fits(batch.targets)) {
    throw std::invalid_argument(
        fmt::format("Batch: got {} tokens and {} targets, expected {} of each (size {} times seq_len {})",
                    batch.tokens.size(), batch.targets.size(), element_count({batch.size, batch.seq_len}),
                    batch.size, batch.seq_len));
  }
  check_range("token", batch, batch.tokens, 0, vocab_size);
  check_range("target", batch, batch.targets, ignore_index, vocab_size);
}

Positions batch_positions(const PositionScheme& scheme, const Batch& batch, Index first, Index size,
                          const RandomKey& key) {
  if (!scheme.of_task()) return make_positions(scheme, size, batch.seq_len, key);
  if (batch.positions.size() != batch.tokens.size()) {
    throw PositionError(fmt::format("positions = task: got {} positions for {} tokens, expected one for each",
                                    batch.positions.size(), batch.tokens.size()));
  }
  const auto given = subspan<const double>(batch.positions, first * batch.seq_len, size * batch.seq_len);
  return moved_positions(scheme, size, given, key);
}

}  // namespace ordinal
