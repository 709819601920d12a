// The state that layers carry from earlier tokens to later ones, so that decoding one more token costs one
// token's work: keys and values of attention, the last inputs of a convolution, the state of a recurrence.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "framework/core/parameters.h"
#include "framework/core/positions.h"

namespace ordinal {

/// Holds every state that the layers of a model declared, for up to `capacity` tokens of each of `batch`
/// sequences; all sequences grow together. States start at zero. A run over new tokens extends it.
template <typename T>
class DecodeCache {
 public:
  DecodeCache(const ParameterLayout& layout, Index batch, Index capacity);

  /// The model that it belongs to.
  const ParameterLayout& layout() const { return *layout_; }
  /// Tokens held of each sequence.
  Index length() const { return length_; }
  Index capacity() const { return capacity_; }
  Index memory_bytes() const;

  /// begin_run() announces the tokens of a run before the layers use their states; end_run() counts them.
  /// Throws std::out_of_range if they exceed the capacity, std::invalid_argument for another batch.
  void begin_run(const Positions& positions);
  void end_run();

  // The three below throw std::logic_error for a state that was declared after the cache was made.

  /// A state with a row for each token: appends the run's new rows (seq_len, cols) of one sequence.
  void append(StateSlot slot, Index sequence, View<const T> rows);
  /// Its held rows and the new ones.
  View<const T> rows(StateSlot slot, Index sequence) const;
  /// A state of fixed size (rows, cols), to be read and replaced.
  View<T> state(StateSlot slot, Index sequence);

  /// Positions of all held tokens and the new ones.
  std::span<const double> positions(Index sequence) const;

 private:
  std::size_t index_of(StateSlot slot) const;
  Index first_row(Index sequence) const { return sequence * capacity_; }

  const ParameterLayout* layout_;
  Index batch_;
  Index capacity_;
  Index length_ = 0;
  Index incoming_ = 0;
  std::vector<StateSpec> specs_;
  std::vector<Tensor<T>> states_;  // for each state (batch·capacity, cols), or (batch·rows, cols)
  std::vector<double> positions_;  // (batch, capacity)
};

}  // namespace ordinal
