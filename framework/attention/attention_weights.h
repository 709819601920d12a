// How attention turns scores into weights. To add a method, write one file and add one line to attention_weights.inc. See
// softmax_weights.cpp.
#pragma once

#include <memory>
#include <string>

#include "framework/core/pass.h"
#include "framework/core/registry.h"
#include "framework/core/tensor.h"
#include "framework/positional/positional_encoding.h"

namespace ordinal {

/// One object per attention layer. It may have parameters.
template <typename T>
class AttentionWeights {
 public:
  /// What backward needs for a block, with one row per query.
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

  /// `scores` (rows, keys) holds scores on entry. On return it holds weights times any positive factor per row, with zeros
  /// where a row does not see a key. The second column of `sums` (rows, 2) is what each row is divided by; the first is free.
  virtual void forward(const ScoreBlock<T>& block, View<T> scores, View<T> sums, Pass<T>& pass) const = 0;
  /// Turns the scores into weights, as forward does, and gradient.scores into the gradient of the scores.
  virtual void backward(const ScoreBlock<T>& block, View<T> scores, const Gradient& gradient,
                        Pass<T>& pass) const = 0;
  /// The same from the weights that forward left.
  virtual void backward_of_kept(const ScoreBlock<T>& block, View<const T> weights, const Gradient& gradient,
                                Pass<T>& pass) const = 0;
};

template <typename T>
using WeightsBuilder = std::unique_ptr<AttentionWeights<T>> (*)(Index heads, const Scope&);

struct WeightsEntry {
  std::string name;
  std::string formula;  // of w_ij, for a row i with scores z_j

  // Filled in by describe_weights().
  ForBoth<WeightsBuilder> build = {};
};

template <template <typename> class Weights, typename T>
std::unique_ptr<AttentionWeights<T>> build_weights(Index heads, const Scope& scope) {
  return std::make_unique<Weights<T>>(heads, scope);
}

/// Adds the builders to the entry of a class template Weights<T>, which has a constructor (heads, scope).
template <template <typename> class Weights>
WeightsEntry describe_weights(WeightsEntry entry) {
  entry.build = {build_weights<Weights, float>, build_weights<Weights, double>};
  return entry;
}

/// All registered weights, in the order of attention_weights.inc.
Registry<WeightsEntry>& attention_weights();

}  // namespace ordinal
