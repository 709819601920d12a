#include "framework/core/arena.h"

#include <algorithm>
#include <limits>

namespace ordinal {
namespace {

constexpr Index smallest_chunk = Index{1} << 12;  // elements

}  // namespace

template <typename T>
T* Arena<T>::take(Index count) {
  const Index rounded = aligned_size(count);
  while (current_ < chunks_.size() && used_ + rounded > chunks_[current_].size()) {
    ++current_;
    used_ = 0;
  }
  if (current_ == chunks_.size()) {
    chunks_.emplace_back(std::max({rounded, capacity() / 4, smallest_chunk}), Uninitialised());
  }
  T* memory = chunks_[current_].data() + used_;
  used_ += rounded;
  taken_ += rounded;
  most_ = std::max(most_, taken_);
  if constexpr (checks_bounds) std::fill_n(memory, rounded, std::numeric_limits<T>::quiet_NaN());
  return memory;
}

template <typename T>
void Arena<T>::rewind(Mark mark) {
  current_ = mark.chunk;
  used_ = mark.used;
  taken_ = mark.taken;
}

template <typename T>
void Arena<T>::reset() {
  if (chunks_.size() > 1) {
    chunks_.clear();
    chunks_.emplace_back(most_, Uninitialised());
  }
  rewind({});
}

template <typename T>
Index Arena<T>::capacity() const {
  Index total = 0;
  for (const AlignedBuffer<T>& chunk : chunks_) total += chunk.size();
  return total;
}

ORDINAL_INSTANTIATE(Arena);

}  // namespace ordinal
