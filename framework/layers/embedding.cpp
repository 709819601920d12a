#include "framework/layers/embedding.h"

#include <fmt/format.h>

#include <algorithm>

#include "framework/core/errors.h"
#include "framework/layers/layer.h"
#include "framework/math/blas.h"
#include "framework/math/vector_math.h"

namespace ordinal {

template <typename T>
Embedding<T>::Embedding(Index vocab_size, Index d_model, const Scope& scope, double scale, double sd)
    : table_(scope.add_weight("weight", {vocab_size, d_model}, normal(sd))), scale_(static_cast<T>(scale)) {}

template <typename T>
View<const T> Embedding<T>::forward(std::span<const Token> tokens, Pass<T>& pass) const {
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

template <typename T>
void Embedding<T>::backward(std::span<const Token> tokens, View<const T> dy, Pass<T>& pass) const {
  const View<T> d_table = pass.gradient(table_);
  for (Index t = 0; t < dy.rows; ++t) {
    T* row = d_table.row(tokens[static_cast<std::size_t>(t)]);
    vmath::add_scaled(scale_, dy.row(t), row, dy.cols);
  }
}

template <typename T>
View<const T> Embedding<T>::logits(View<const T> x, Pass<T>& pass) const {
  if (x.cols != table_.cols) refuse_width("Embedding", x.cols, table_.cols);
  pass.save("Embedding", x);
  const View<T> y = pass.allocate(x.rows, table_.rows);
  multiply<T>(x, transposed(pass.value(table_)), y);
  return y;
}

// logits_t = E x_t: the products of Linear without a bias.
template <typename T>
View<const T> Embedding<T>::logits_backward(View<const T> d_logits, Pass<T>& pass) const {
  const View<const T> x = pass.restore("Embedding");
  multiply_add<T>(transposed(d_logits), x, pass.gradient(table_));
  const View<T> dx = pass.allocate(x.rows, x.cols);
  multiply<T>(d_logits, pass.value(table_), dx);
  return dx;
}

ORDINAL_INSTANTIATE(Embedding);

}  // namespace ordinal
