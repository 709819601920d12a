// Token embedding, and the output layer that shares its table. Tokens are integers and have no gradient,
// so an embedding is not a Layer: its forward reads tokens instead of a matrix.
#pragma once

#include <span>

#include "framework/core/pass.h"
#include "framework/core/tensor.h"

namespace ordinal {

/// y_t = scale · E[token_t] with a table E (vocab_size, d_model), which starts as N(0, sd²). Vaswani et al.
/// 2017, §3.4, scale by √d_model. With a tied output (Press & Wolf 2017) the same table maps the last hidden
/// state to logits: logits = x Eᵀ.
template <typename T>
class Embedding {
 public:
  Embedding(Index vocab_size, Index d_model, const Scope& scope, double scale = 1.0, double sd = 0.02);

  /// (tokens) -> (tokens, d_model). Throws DataError for a token outside [0, vocab_size).
  View<const T> forward(std::span<const Token> tokens, Pass<T>& pass) const;
  /// dE[token_t] += scale · dy_t.
  void backward(std::span<const Token> tokens, View<const T> dy, Pass<T>& pass) const;

  /// logits (tokens, vocab_size) = x Eᵀ. Throws std::invalid_argument if x has another width.
  View<const T> logits(View<const T> x, Pass<T>& pass) const;
  /// dE += dlogitsᵀ x; returns dx = dlogits E.
  View<const T> logits_backward(View<const T> d_logits, Pass<T>& pass) const;

 private:
  Slot table_;
  T scale_;
};

}  // namespace ordinal
