// What a run may ask of the attention layers of a model: changes, for tests of a trained model, and to be shown the weights.
#pragma once

#include <functional>
#include <span>

#include "framework/core/pass.h"

namespace ordinal {

/// Changes to attention for testing a trained model. They have no backward.
struct AttentionTest {
  Index window = 0;           // causal: queries see only this many of the latest keys; 0: all
  double log_n_length = 0.0;  // L > 1: scores times max(1, ln n / ln L) for queries that see n keys; 0: 1
  double factor = 1.0;        // scores times this, above 0
};

/// What one query of the first sequence of a run attends to: the keys from `first_key` on, with these probabilities, and no
/// others.
template <typename T>
struct AttentionRow {
  Index layer = 0;  // counted over the attention layers of the model
  Index head = 0;
  Index query = 0;
  Index first_key = 0;
  std::span<const T> probabilities = {};  // valid while the row is observed
};

template <typename T>
struct AttentionRun {
  AttentionTest test = {};
  std::function<void(const AttentionRow<T>&)> observe = {};  // gets each row when it is computed
};

/// The changes that a run asks for.
template <typename T>
AttentionTest test_of(const Run<T>& run) {
  return run.attention != nullptr ? run.attention->test : AttentionTest();
}

}  // namespace ordinal
