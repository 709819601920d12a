// An attention map, as a run shows it to an observer.
#pragma once

#include <algorithm>
#include <functional>

#include "framework/attention/attention_run.h"

namespace ordinal::testing {

/// Writes the rows of one head to `map` (queries, keys), which is zero before.
template <typename T>
std::function<void(const AttentionRow<T>&)> map_into(Tensor<T>& map, Index layer, Index head) {
  return [&map, layer, head](const AttentionRow<T>& row) {
    if (row.layer != layer || row.head != head) return;
    std::ranges::copy(row.probabilities, map.view().row(row.query) + row.first_key);
  };
}

}  // namespace ordinal::testing
