// An attention map, as a run shows it to an observer.
#pragma once

#include <algorithm>
#include <functional>

#include "framework/core/pass.h"

namespace ordinal::testing {

/// Writes the rows of one head to `map` (queries, keys), which is zero before.
inline std::function<void(const AttentionRow<double>&)> map_into(Tensor<double>& map, Index layer,
                                                                 Index head) {
  return [&map, layer, head](const AttentionRow<double>& row) {
    if (row.layer != layer || row.head != head) return;
    std::ranges::copy(row.probabilities, map.view().row(row.query) + row.first_key);
  };
}

}  // namespace ordinal::testing
