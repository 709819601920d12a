// Which keys an attention query sees.
#pragma once

#include <algorithm>

#include "framework/core/tensor.h"

namespace ordinal {

/// The keys first, …, end - 1.
struct KeyRange {
  Index first = 0;
  Index end = 0;

  Index count() const { return end - first; }
};

/// Causal: the keys up to the query's own token; if `window` is above 0, only the last `window` of them. Else all keys.
struct Sight {
  bool causal = true;
  Index window = 0;

  /// The keys that the query of token `query` sees, out of `keys` tokens.
  KeyRange of(Index query, Index keys) const {
    const Index end = causal ? query + 1 : keys;
    return {window > 0 ? std::max<Index>(0, end - window) : 0, end};
  }
  /// The same sight, limited to `most` keys if `most` is above 0.
  Sight within(Index most) const {
    return {causal, window > 0 && most > 0 ? std::min(window, most) : window + most};
  }
};

/// An attention layer: its number among the model's attention layers, and what its queries see in a run.
struct LayerAt {
  Index number = 0;
  Sight sight = {};
};

}  // namespace ordinal
