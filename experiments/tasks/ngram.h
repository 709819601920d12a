// n-gram baselines counted on training examples: what the last few tokens alone can predict. Trained models
// are compared with them.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "experiments/tasks/task.h"
#include "framework/training/evaluation.h"

namespace ordinal::experiments {

/// Predicts a target from the last order - 1 tokens: order 0 is uniform, 1 the frequencies of
/// targets, 2 what follows a token, and so on. Rare contexts back off to shorter ones (Witten and
/// Bell 1991): with c(h, w) the count of w after context h, c(h) their sum, T(h) how many different targets
/// followed h, and h' the context without its oldest token,
///   p(w | h) = (c(h, w) + T(h) p(w | h')) / (c(h) + T(h)),   p(w | nothing known) = 1 / vocabulary.
class NgramReader {
 public:
  /// Counts `examples` training examples of `length`.
  NgramReader(const Task& task, Index order, Index length, Index examples);

  /// Losses in nats and hits, like those of an Evaluator.
  TokenScores score(const Batch& batch) const;

 private:
  struct Context {
    double total = 0.0;
    std::unordered_map<Token, double> counts;
  };
  struct Prediction {
    std::vector<double> probabilities;
    Token likeliest = 0;
  };

  std::uint64_t key(std::span<const Token> tokens, Index used) const;
  std::vector<double> probabilities(std::span<const Token> before, Index used) const;
  const Prediction& predict(std::span<const Token> before) const;

  Index order_;
  std::uint64_t vocabulary_;
  std::unordered_map<std::uint64_t, Context> contexts_;
  mutable std::unordered_map<std::uint64_t, Prediction> predictions_;
};

}  // namespace ordinal::experiments
