// How the scores of attention become weights. To add a way: one file that defines it, and one line in attention_weights.inc.
// See softmax_weights.cpp and stick_breaking.cpp.
#pragma once

#include <string>

#include "framework/core/pass.h"
#include "framework/core/registry.h"
#include "framework/core/tensor.h"
#include "framework/positional/positional_encoding.h"

namespace ordinal {

/// Has no state, so one object serves all layers.
template <typename T>
class AttentionWeights {
 public:
  /// What backward needs of a block, by rows of queries.
  struct Gradient {
    View<const T> sums;   // as forward left them
    View<const T> out;    // o (rows, d_head)
    View<const T> d_out;  // δ = do divided by the sum of the row's weights
    View<T> scores;       // δ·v (rows, keys) on entry, dS on return: zero where a row does not see a key
  };

  AttentionWeights() = default;
  AttentionWeights(const AttentionWeights&) = delete;
  AttentionWeights& operator=(const AttentionWeights&) = delete;
  virtual ~AttentionWeights() = default;

  /// Whether backward can start from what forward leaves. If not, it always starts from the scores.
  virtual bool keeps() const = 0;

  /// Scores (rows, keys) on entry; on return weights times any positive factor of their row, zero where it does not see a
  /// key. The second column of `sums` (rows, 2) is what each row adds up to, the first one is free.
  virtual void forward(const ScoreBlock<T>& block, View<T> scores, View<T> sums) const = 0;
  /// The scores become weights as in forward, and gradient.scores their gradient.
  virtual void backward(const ScoreBlock<T>& block, View<T> scores, const Gradient& gradient,
                        Pass<T>& pass) const = 0;
  /// The same, if keeps(), from the weights of forward.
  virtual void backward_of_kept(const ScoreBlock<T>& /*block*/, View<const T> /*weights*/,
                                const Gradient& /*gradient*/) const {}
};

template <typename T>
using WeightsObject = const AttentionWeights<T>*;

struct WeightsEntry {
  std::string name;
  std::string formula;       // of w_ij, of a row i whose scores are z_j
  bool causal_only = false;  // undefined where tokens see later ones

  // Filled in by describe_weights().
  ForBoth<WeightsObject> object = {};
};

/// The entry with its objects, for a class template Weights<T>.
template <template <typename> class Weights>
WeightsEntry describe_weights(WeightsEntry entry) {
  static const Weights<float> in_float;
  static const Weights<double> in_double;
  entry.object = {&in_float, &in_double};
  return entry;
}

/// All that can be named, in the order of attention_weights.inc.
const Registry<WeightsEntry>& attention_weights();

}  // namespace ordinal
