#include "framework/core/key_value_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace ordinal {

template <typename T>
KeyValueCache<T>::KeyValueCache(Index layers, Index batch, Index capacity, Index width)
    : batch_(batch), capacity_(capacity), positions_(static_cast<std::size_t>(batch * capacity)) {
  for (Index layer = 0; layer < layers; ++layer) {
    keys_.emplace_back(Shape{batch * capacity, width});
    values_.emplace_back(Shape{batch * capacity, width});
  }
}

template <typename T>
void KeyValueCache<T>::begin_run(const Positions& positions) {
  if (positions.batch() != batch_) {
    throw std::invalid_argument(
        fmt::format("KeyValueCache: got {} sequences, expected {}", positions.batch(), batch_));
  }
  if (length_ + positions.seq_len() > capacity_) {
    throw std::out_of_range(fmt::format("KeyValueCache: {} tokens after {} exceed the capacity {}",
                                        positions.seq_len(), length_, capacity_));
  }
  incoming_ = positions.seq_len();
  for (Index sequence = 0; sequence < batch_; ++sequence) {
    std::ranges::copy(positions.of(sequence), positions_.begin() + first_row(sequence) + length_);
  }
}

template <typename T>
void KeyValueCache<T>::end_run() {
  length_ += incoming_;
  incoming_ = 0;
}

template <typename T>
void KeyValueCache<T>::append(Index layer, Index sequence, View<const T> key, View<const T> value) {
  const auto index = static_cast<std::size_t>(layer);
  for (Index r = 0; r < incoming_; ++r) {
    const Index row = first_row(sequence) + length_ + r;
    std::copy_n(key.row(r), key.cols, keys_[index].view().row(row));
    std::copy_n(value.row(r), value.cols, values_[index].view().row(row));
  }
}

template <typename T>
View<const T> KeyValueCache<T>::keys(Index layer, Index sequence) const {
  return keys_[static_cast<std::size_t>(layer)].view().row_range(first_row(sequence), length_ + incoming_);
}

template <typename T>
View<const T> KeyValueCache<T>::values(Index layer, Index sequence) const {
  return values_[static_cast<std::size_t>(layer)].view().row_range(first_row(sequence), length_ + incoming_);
}

template <typename T>
std::span<const double> KeyValueCache<T>::positions(Index sequence) const {
  return std::span(positions_)
      .subspan(static_cast<std::size_t>(first_row(sequence)), static_cast<std::size_t>(length_ + incoming_));
}

template class KeyValueCache<float>;
template class KeyValueCache<double>;

}  // namespace ordinal
