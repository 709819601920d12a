// A bump allocator: memory is taken from the end, released by rewinding to an earlier mark, and reused by the
// next run. After the first step of a training run there are no further allocations.
#pragma once

#include <cstddef>
#include <vector>

#include "framework/core/tensor.h"

namespace ordinal {

template <typename T>
class Arena {
 public:
  /// A mark to rewind to.
  struct Mark {
    std::size_t chunk = 0;
    Index used = 0;
    Index taken = 0;
  };

  /// `count` uninitialised elements, 64-byte aligned, valid until the arena is rewound past them. With ORDINAL_BOUNDS_CHECKS
  /// they are NaN.
  T* take(Index count);
  Mark mark() const { return {current_, used_, taken_}; }
  void rewind(Mark mark);
  /// Releases everything. If memory grew in several chunks, replaces them by one of the most that was taken at a time.
  void reset();
  /// Elements of memory held.
  Index capacity() const;

 private:
  std::vector<AlignedBuffer<T>> chunks_;
  std::size_t current_ = 0;
  Index used_ = 0;   // of the current chunk
  Index taken_ = 0;  // of all
  Index most_ = 0;   // that was taken at a time
};

}  // namespace ordinal
