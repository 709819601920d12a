#include "framework/core/decode_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace ordinal {

template <typename T>
DecodeCache<T>::DecodeCache(const ParameterLayout& layout, Index batch, Index capacity)
    : layout_(&layout),
      batch_(batch),
      capacity_(capacity),
      specs_(layout.states()),
      positions_(static_cast<std::size_t>(element_count({batch, capacity}))) {
  for (const StateSpec& spec : specs_) {
    states_.emplace_back(Shape{batch * (spec.rows > 0 ? spec.rows : capacity), spec.cols});
  }
}

template <typename T>
Index DecodeCache<T>::memory_bytes() const {
  Index elements = 0;
  for (const Tensor<T>& state : states_) elements += state.size();
  return elements * static_cast<Index>(sizeof(T));
}

template <typename T>
void DecodeCache<T>::begin_run(const Positions& positions) {
  if (positions.batch() != batch_) {
    throw std::invalid_argument(
        fmt::format("DecodeCache: got {} sequences, expected {}", positions.batch(), batch_));
  }
  if (length_ + positions.seq_len() > capacity_) {
    throw std::out_of_range(fmt::format("DecodeCache: {} tokens after {} exceed the capacity {}",
                                        positions.seq_len(), length_, capacity_));
  }
  incoming_ = positions.seq_len();
  for (Index sequence = 0; sequence < batch_; ++sequence) {
    std::ranges::copy(positions.of(sequence), positions_.begin() + first_row(sequence) + length_);
  }
}

template <typename T>
void DecodeCache<T>::end_run() {
  length_ += incoming_;
  incoming_ = 0;
}

template <typename T>
std::size_t DecodeCache<T>::index_of(StateSlot slot) const {
  if (slot.index >= std::ssize(states_)) {
    throw std::logic_error(fmt::format(
        "DecodeCache: got state {}, expected one of the {} declared when the cache was made (build all "
        "layers of a layout before a cache for them)",
        slot.index, states_.size()));
  }
  return static_cast<std::size_t>(slot.index);
}

template <typename T>
void DecodeCache<T>::append(StateSlot slot, Index sequence, View<const T> rows) {
  copy_rows(rows, states_[index_of(slot)].view().row_range(first_row(sequence) + length_, incoming_));
}

template <typename T>
View<const T> DecodeCache<T>::rows(StateSlot slot, Index sequence) const {
  return states_[index_of(slot)].view().row_range(first_row(sequence), length_ + incoming_);
}

template <typename T>
View<T> DecodeCache<T>::state(StateSlot slot, Index sequence) {
  const std::size_t index = index_of(slot);
  return states_[index].view().row_range(sequence * specs_[index].rows, specs_[index].rows);
}

template <typename T>
std::span<const double> DecodeCache<T>::positions(Index sequence) const {
  return std::span(positions_)
      .subspan(static_cast<std::size_t>(first_row(sequence)), static_cast<std::size_t>(length_ + incoming_));
}

ORDINAL_INSTANTIATE(DecodeCache);

}  // namespace ordinal
