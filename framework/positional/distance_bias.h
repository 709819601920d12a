// The base of encodings that add a function of the distance between query and key to the scores. A derived class computes the bias
// for a row of distances and, if it learns, the gradient of its parameters; this class maps distances to scores.
#pragma once

#include "framework/positional/score_distances.h"

namespace ordinal {

/// ALiBi's slopes, one for each head.
std::vector<double> alibi_slopes(Index heads);

/// T5's bucket of relative position `relative` = key - query.
Index t5_bucket(Index relative, bool causal, Index buckets, Index max_distance);

/// One head of one attention layer.
struct HeadAt {
  Index layer = 0;
  Index head = 0;
};

template <typename T>
class DistanceBias : public EncodingPart<T> {
 public:
  /// out(0, k) = the bias at distance n(0, k) = p_i - p_j, positive where the key is to the left of the query.
  virtual void bias(View<const T> n, HeadAt at, View<T> out, Pass<T>& pass) const = 0;

  /// Adds to the gradients of the parameters, where d(0, k) = ∂ℓ/∂bias at distance n(0, k).
  virtual void bias_backward(View<const T> /*n*/, View<const T> /*d*/, HeadAt /*at*/,
                             Pass<T>& /*pass*/) const {}

  /// Whether there are parameters; if not, bias_backward() is not called.
  virtual bool learns() const { return true; }

  void encode_scores(const ScoreBlock<T>& block, View<T> scores, Pass<T>& pass) const final {
    const auto frame = pass.scratch_frame();
    const ScoreDistances<T> distances(block, pass);
    const View<T> values = pass.allocate(1, distances.size());
    bias(distances.distances(), {block.layer, block.head}, values, pass);
    distances.add(values, scores);
  }

  // All scores at one distance share a bias, so its gradient is the sum of theirs.
  void encode_scores_backward(const ScoreBlock<T>& block, const ScoreGradient<T>& gradient,
                              Pass<T>& pass) const final {
    if (!learns()) return;
    const auto frame = pass.scratch_frame();
    const ScoreDistances<T> distances(block, pass);
    const View<T> d_values = pass.allocate(1, distances.size());
    distances.sum(gradient.scores, d_values);
    bias_backward(distances.distances(), d_values, {block.layer, block.head}, pass);
  }
};

}  // namespace ordinal
