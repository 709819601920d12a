// Token embedding. Tokens are integers and have no gradient, so an embedding is not a Layer: its forward reads
// tokens instead of a matrix.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "framework/core/errors.h"
#include "framework/core/pass.h"
#include "framework/math/vector_math.h"

namespace ordinal {

/// y_t = scale · E[token_t] with a table E (vocab_size, d_model), which starts as N(0, sd²). Vaswani et al.
/// 2017, §3.4, scale by √d_model.
template <typename T>
class Embedding {
 public:
  Embedding(Index vocab_size, Index d_model, const Scope& scope, double scale = 1.0, double sd = 0.02)
      : table_(scope.add_weight("weight", {vocab_size, d_model}, normal(sd))),
        scale_(static_cast<T>(scale)) {}

  /// (tokens) -> (tokens, d_model). Throws DataError for a token outside [0, vocab_size).
  View<const T> forward(std::span<const Token> tokens, Pass<T>& pass) const {
    const View<const T> table = pass.value(table_);
    const View<T> y = pass.allocate(std::ssize(tokens), table.cols);
    for (Index t = 0; t < y.rows; ++t) {
      const Token token = tokens[static_cast<std::size_t>(t)];
      if (token < 0 || token >= table.rows) {
        throw DataError(fmt::format("token {} at position {}: expected 0 to {} (vocab_size {})", token, t,
                                    table.rows - 1, table.rows));
      }
      std::copy_n(table.row(token), table.cols, y.row(t));
      if (scale_ != T(1)) vmath::scale(scale_, y.row(t), table.cols);
    }
    return y;
  }
  /// dE[token_t] += scale · dy_t.
  void backward(std::span<const Token> tokens, View<const T> dy, Pass<T>& pass) const {
    const View<T> d_table = pass.gradient(table_);
    for (Index t = 0; t < dy.rows; ++t) {
      T* row = d_table.row(tokens[static_cast<std::size_t>(t)]);
      vmath::add_scaled(scale_, dy.row(t), row, dy.cols);
    }
  }

  /// E, for an output layer that shares it.
  const Slot& table() const { return table_; }

 private:
  Slot table_;
  T scale_;
};

}  // namespace ordinal
