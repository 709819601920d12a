// The interface of a model for training, evaluation and generation. models/transformer.h implements it; your
// own model derives from it in the same way.
#pragma once

#include <span>
#include <string>

#include "framework/core/pass.h"
#include "framework/core/tensor.h"

namespace ordinal {

/// A map from tokens to logits with a hand-written backward. Immutable and shared by all threads; parameter
/// values and everything that changes are kept outside. It owns the layout in which its layers declare their
/// parameters: build them in scope("name"). It tells the pass of each part that it has computed, so that an observer of a run can
/// time the parts and find where numbers become infinite or NaN.
template <typename T>
class Model {
 public:
  explicit Model(InitialWeights initial_weights = {}) : layout_(initial_weights) {}
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;
  virtual ~Model() = default;

  const ParameterLayout& layout() const { return layout_; }
  virtual Index vocab_size() const = 0;

  /// Whether a token's logits depend on no later token, so that text can be generated.
  virtual bool is_causal() const { return true; }
  /// Whether a run can start from what earlier runs left in a DecodeCache; if not, generating a token
  /// requires reading the whole text.
  virtual bool can_continue() const { return false; }

  /// Hidden states (tokens, d_model) after the last block and norm; row b·seq_len + t belongs to
  /// tokens[b·seq_len + t]. They and the logits are in the memory of `pass`, valid until its next begin() or finish().
  virtual View<const T> hidden(std::span<const Token> tokens, Pass<T>& pass) const = 0;
  /// Logits (rows, vocab_size) of all or any rows of the hidden states.
  virtual View<const T> logits(View<const T> hidden, Pass<T>& pass) const = 0;
  /// Computes the gradients of all parameters from the gradient of the logits of all rows.
  virtual void backward(std::span<const Token> tokens, View<const T> d_logits, Pass<T>& pass) const = 0;

 protected:
  /// The scope for declaring parameters called `name.…`.
  Scope scope(const std::string& name) { return Scope(layout_, name); }

 private:
  ParameterLayout layout_;
};

}  // namespace ordinal
