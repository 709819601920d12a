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
/// sequences; all sequences grow together. States start at zero. A run over new tokens extends the cache. The layout, which the
/// model owns, must outlive it. Views of states and positions are valid as long as the cache.
template <typename T>
class DecodeCache {
 public:
  /// Throws std::invalid_argument for a negative size.
  DecodeCache(const ParameterLayout& layout, Index batch, Index capacity);

  /// The layout of its model.
  const ParameterLayout& layout() const { return *layout_; }
  /// Tokens held for each sequence.
  Index length() const { return length_; }
  Index capacity() const { return capacity_; }
  Index memory_bytes() const;

  /// begin_run() announces the tokens of a run before the layers use their states; end_run() counts them.
  /// Throws std::out_of_range if they exceed the capacity, std::invalid_argument if the batch differs.
  void begin_run(const Positions& positions);
  void end_run();

  // The next three functions throw std::logic_error for a state declared after the cache was made.

  /// For a state with one row per token: appends the run's new rows (seq_len, cols) of one sequence.
  void append(StateSlot slot, Index sequence, View<const T> rows);
  /// The rows held for such a state, and the new ones.
  View<const T> rows(StateSlot slot, Index sequence) const;
  /// A state of fixed size (rows, cols), to read and replace.
  View<T> state(StateSlot slot, Index sequence);

  /// The positions of all tokens held, and of the new ones.
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
