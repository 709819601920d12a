// A bump allocator: memory is taken from the end, released by rewinding to an earlier mark, and reused by the
// next run. After the first step of a training run there are no further allocations.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "framework/core/tensor.h"

namespace ordinal {

template <typename T>
class Arena {
 public:
  /// A mark to rewind to.
  struct Mark {
    std::size_t chunk = 0;
    Index used = 0;   // of the chunk
    Index taken = 0;  // of all
  };

  /// `count` elements of any value, 64-byte aligned, valid until the arena is rewound past them. With ORDINAL_BOUNDS_CHECKS
  /// they are NaN.
  T* take(Index count) {
    const Index rounded = aligned_size(count);
    if (chunks_.empty() || end_.used + rounded > std::ssize(chunks_[end_.chunk])) go_on(rounded);
    T* memory = chunks_[end_.chunk].data() + end_.used;
    end_.used += rounded;
    end_.taken += rounded;
    most_ = std::max(most_, end_.taken);
    if constexpr (checks_bounds) std::fill_n(memory, rounded, std::numeric_limits<T>::quiet_NaN());
    return memory;
  }
  Mark mark() const { return end_; }
  void rewind(Mark mark) { end_ = mark; }
  /// Releases everything. If memory grew in several chunks, replaces them by one of the most that was taken at a time.
  void reset() {
    if (chunks_.size() > 1) {
      chunks_.clear();
      chunks_.emplace_back(static_cast<std::size_t>(most_));
    }
    rewind({});
  }
  /// Elements that are taken.
  Index taken() const { return end_.taken; }
  /// Elements of memory held.
  Index capacity() const {
    Index total = 0;
    for (const AlignedBuffer<T>& chunk : chunks_) total += std::ssize(chunk);
    return total;
  }

 private:
  // Moves to a chunk with room for `needed` elements. All behind the end is free, so chunks there that are too small become one:
  // kept, they would almost double what a run holds.
  void go_on(Index needed) {
    constexpr Index smallest = Index{1} << 12;  // elements
    const std::size_t next = end_.used == 0 ? end_.chunk : end_.chunk + 1;
    if (next == chunks_.size() || std::ssize(chunks_[next]) < needed) {
      Index freed = 0;
      for (; chunks_.size() > next; chunks_.pop_back()) freed += std::ssize(chunks_.back());
      chunks_.emplace_back(static_cast<std::size_t>(std::max({needed, freed, capacity() / 16, smallest})));
    }
    end_.chunk = next;
    end_.used = 0;
  }

  std::vector<AlignedBuffer<T>> chunks_;
  Mark end_;
  Index most_ = 0;  // that was taken at a time
};

}  // namespace ordinal
