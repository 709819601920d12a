// What training needs of a model. models/transformer.h has the one that implements it.
#pragma once

#include <span>

#include "framework/core/pass.h"
#include "framework/core/token.h"

namespace ordinal {

/// A map from tokens to logits with hand-written backward. Immutable and shared by all threads; parameters
/// and everything that changes lie outside.
template <typename T>
class Model {
 public:
  Model() = default;
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;
  virtual ~Model() = default;

  virtual const ParameterLayout& layout() const = 0;
  virtual Index vocab_size() const = 0;

  /// Hidden states (tokens, d_model) after the last block and norm; row b·seq_len + t belongs to
  /// tokens[b·seq_len + t].
  virtual View<const T> hidden(std::span<const Token> tokens, Pass<T>& pass) const = 0;
  /// Logits (rows, vocab_size) of hidden states, all or any rows of them.
  virtual View<const T> logits(View<const T> hidden, Pass<T>& pass) const = 0;
  /// From the gradient of the logits of all rows to the gradients of all parameters.
  virtual void backward(std::span<const Token> tokens, View<const T> d_logits, Pass<T>& pass) const = 0;
};

}  // namespace ordinal
