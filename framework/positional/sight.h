// Which keys a query of attention sees.
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

/// Causal: the keys up to the query's own token, and of these only the last `window`, if that is above 0. Else all keys.
struct Sight {
  bool causal = true;
  Index window = 0;

  /// Of the query of token `query`, where there are `keys` tokens.
  KeyRange of(Index query, Index keys) const {
    const Index end = causal ? query + 1 : keys;
    return {window > 0 ? std::max<Index>(0, end - window) : 0, end};
  }
  /// The same with at most `most` keys, if that is above 0.
  Sight within(Index most) const {
    return {causal, window > 0 && most > 0 ? std::min(window, most) : window + most};
  }
};

/// An attention layer: its number, counted over those of the model, and what its queries see in a run.
struct LayerAt {
  Index number = 0;
  Sight sight = {};
};

}  // namespace ordinal
