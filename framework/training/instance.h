// A model together with its parameter values, for programs that use a trained model or one of their own.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "framework/core/tensor.h"
#include "framework/training/model.h"

namespace ordinal {

template <typename T>
class Instance {
 public:
  /// Values start from their initialisers and `seed`.
  explicit Instance(std::unique_ptr<const Model<T>> model, std::uint64_t seed = 1)
      : model_(std::move(model)), values_(model_->layout()) {
    initialize(values_, seed);
  }

  const Model<T>& model() const { return *model_; }
  Parameters<T>& values() { return values_; }
  const Parameters<T>& values() const { return values_; }

  /// Logits (tokens, vocab_size) of one sequence at positions 0, 1, 2, … Throws std::invalid_argument if there is no token, and
  /// what the model throws.
  Tensor<T> logits(std::span<const Token> tokens) const {
    Pass<T> pass(values_);
    pass.begin({.positions = Positions::contiguous(1, std::ssize(tokens))});
    const View<const T> logits = model_->logits(model_->hidden(tokens, pass), pass);
    return Tensor<T>({logits.rows, logits.cols}, {logits.data, static_cast<std::size_t>(logits.size())});
  }

 private:
  std::unique_ptr<const Model<T>> model_;
  Parameters<T> values_;
};

}  // namespace ordinal
