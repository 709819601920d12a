// Tables of relative positions that end at a largest distance: t5_clipped and shaw.
#pragma once

#include <algorithm>

#include "framework/positional/score_distances.h"

namespace ordinal {

struct ClippedDistanceOptions {
  Index max_distance = 0;

  void visit(OptionVisitor& v) {
    v.integer("max_distance", max_distance, automatic_or(1, 1e6),
              "distance k from which all share one row; 0: a quarter of the training length");
  }
  // As 16 of about 64 in Shaw et al. 2018, and 128 of 512 in T5.
  void resolve(const ModelShape& shape) {
    if (max_distance == 0) max_distance = std::max<Index>(1, shape.train_length / 4);
  }
};

/// clip(j - i, -k, k) + k for a distance i - j, rounded by whole_distance(): a row of a table of 2k + 1.
template <typename T>
Index clipped_row(T distance, Index k) {
  const T limit = static_cast<T>(k);
  return whole_distance(std::clamp(-distance, -limit, limit)) + k;
}

}  // namespace ordinal
