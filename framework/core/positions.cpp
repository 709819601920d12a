#include "framework/core/positions.h"

#include <fmt/format.h>

#include <numeric>
#include <stdexcept>
#include <utility>

namespace ordinal {

Positions::Positions(Index batch, Index seq_len, bool shared, std::vector<double> values)
    : batch_(batch),
      seq_len_(seq_len),
      shared_(shared),
      values_(std::make_shared<const std::vector<double>>(std::move(values))) {
  element_count({batch, seq_len});  // refuses a negative one
}

Positions Positions::contiguous(Index batch, Index seq_len, double offset) {
  std::vector<double> values(static_cast<std::size_t>(element_count({seq_len})));
  std::iota(values.begin(), values.end(), offset);
  return {batch, seq_len, true, std::move(values)};
}

Positions Positions::shared(Index batch, std::vector<double> positions) {
  const Index seq_len = std::ssize(positions);
  return {batch, seq_len, true, std::move(positions)};
}

Positions Positions::per_sequence(Index batch, std::vector<double> positions) {
  const Index count = std::ssize(positions);
  if (batch < 1 || count % batch != 0) {
    throw std::invalid_argument(fmt::format(
        "Positions: got {} values for {} sequences, expected the same number for each", count, batch));
  }
  return {batch, count / batch, false, std::move(positions)};
}

Positions Positions::stretched(std::shared_ptr<const Stretch> stretch) const {
  Positions result = *this;
  result.stretch_ = std::move(stretch);
  return result;
}

std::span<const double> Positions::of(Index sequence) const {
  return subspan<const double>(*values_, shared_ ? 0 : sequence * seq_len_, seq_len_);
}

}  // namespace ordinal
