// Keys and values of the tokens that a model has read, so that generating one more token costs one token's
// work.
#pragma once

#include <span>
#include <vector>

#include "framework/core/positions.h"
#include "framework/core/tensor.h"

namespace ordinal {

/// For each layer, keys and values (after the encoding of queries and keys) of up to `capacity` tokens of
/// `batch` sequences. A run over new tokens appends to it; all sequences grow together.
template <typename T>
class KeyValueCache {
 public:
  /// `width` is n_kv_heads · d_head.
  KeyValueCache(Index layers, Index batch, Index capacity, Index width);

  /// Tokens held of each sequence.
  Index length() const { return length_; }
  Index capacity() const { return capacity_; }

  /// Announces the tokens of a run before the layers append theirs, and counts them after. Throws
  /// std::out_of_range if they exceed the capacity, std::invalid_argument for another batch.
  void begin_run(const Positions& positions);
  void end_run();

  /// Copies the run's new rows (seq_len, width) of one sequence behind what is held.
  void append(Index layer, Index sequence, View<const T> key, View<const T> value);

  /// What the run attends to: all held rows and the new ones.
  View<const T> keys(Index layer, Index sequence) const;
  View<const T> values(Index layer, Index sequence) const;
  std::span<const double> positions(Index sequence) const;

 private:
  Index first_row(Index sequence) const { return sequence * capacity_; }

  Index batch_;
  Index capacity_;
  Index length_ = 0;
  Index incoming_ = 0;
  std::vector<Tensor<T>> keys_;  // for each layer (batch·capacity, width)
  std::vector<Tensor<T>> values_;
  std::vector<double> positions_;  // (batch, capacity)
};

extern template class KeyValueCache<float>;
extern template class KeyValueCache<double>;

}  // namespace ordinal
