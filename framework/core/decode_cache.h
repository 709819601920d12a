// The state that layers carry from earlier tokens to later ones, so that decoding one more token costs one
// token's work: keys and values of attention, the last inputs of a convolution, the state of a recurrence.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <stdexcept>
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
  DecodeCache(const ParameterLayout& layout, Index batch, Index capacity)
      : layout_(&layout),
        batch_(batch),
        capacity_(capacity),
        positions_(static_cast<std::size_t>(element_count({batch, capacity}))) {
    for (const StateSpec& spec : layout.states())
      states_.emplace_back(Shape{batch * (spec.rows > 0 ? spec.rows : capacity), spec.cols});
  }

  /// The layout of its model.
  const ParameterLayout& layout() const { return *layout_; }
  /// Tokens held for each sequence.
  Index length() const { return length_; }

  /// begin_run() announces the tokens of a run before the layers use their states; end_run() counts them.
  /// Throws std::out_of_range if they exceed the capacity, std::invalid_argument if the batch differs.
  void begin_run(const Positions& positions) {
    if (positions.batch() != batch_) {
      throw std::invalid_argument(
          fmt::format("DecodeCache: got {} sequences, expected {}", positions.batch(), batch_));
    }
    if (length_ + positions.seq_len() > capacity_) {
      throw std::out_of_range(fmt::format("DecodeCache: {} tokens after {} exceed the capacity {}",
                                          positions.seq_len(), length_, capacity_));
    }
    incoming_ = positions.seq_len();
    for (Index sequence = 0; sequence < batch_; ++sequence)
      std::ranges::copy(positions.of(sequence), positions_.begin() + first_row(sequence) + length_);
  }
  void end_run() {
    length_ += incoming_;
    incoming_ = 0;
  }

  // The next three functions throw std::logic_error for a state declared after the cache was made.

  /// For a state with one row per token: appends the run's new rows (seq_len, cols) of one sequence.
  void append(StateSlot slot, Index sequence, View<const T> rows) {
    copy_rows(rows, states_[index_of(slot)].view().row_range(first_row(sequence) + length_, incoming_));
  }
  /// The rows held for such a state, and the new ones.
  View<const T> rows(StateSlot slot, Index sequence) const {
    return states_[index_of(slot)].view().row_range(first_row(sequence), length_ + incoming_);
  }
  /// A state of fixed size (rows, cols), to read and replace.
  View<T> state(StateSlot slot, Index sequence) {
    const std::size_t index = index_of(slot);
    const Index rows = layout_->states()[index].rows;
    return states_[index].view().row_range(sequence * rows, rows);
  }

  /// The positions of all tokens held, and of the new ones.
  std::span<const double> positions(Index sequence) const {
    return subspan<const double>(positions_, first_row(sequence), length_ + incoming_);
  }

 private:
  Index first_row(Index sequence) const { return sequence * capacity_; }
  std::size_t index_of(StateSlot slot) const {
    if (slot.index < std::ssize(states_)) return static_cast<std::size_t>(slot.index);
    throw std::logic_error(fmt::format(
        "DecodeCache: got state {}, expected one of the {} declared when the cache was made (build all "
        "layers of a layout before a cache for them)",
        slot.index, states_.size()));
  }

  const ParameterLayout* layout_;
  Index batch_;
  Index capacity_;
  Index length_ = 0;
  Index incoming_ = 0;
  std::vector<Tensor<T>> states_;  // for each state (batch·capacity, cols), or (batch·rows, cols)
  std::vector<double> positions_;  // (batch, capacity)
};

}  // namespace ordinal
