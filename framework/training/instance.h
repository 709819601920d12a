// A model together with its parameter values: what a program holds that uses a trained model, or one of its
// own.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "framework/core/token.h"
#include "framework/storage/safetensors.h"
#include "framework/training/model.h"

namespace ordinal {

template <typename T>
class Instance {
 public:
  /// Values start from their initialisers and `seed`.
  explicit Instance(std::unique_ptr<const Model<T>> model, std::uint64_t seed = 1);

  const Model<T>& model() const { return *model_; }
  Parameters<T>& values() { return values_; }
  const Parameters<T>& values() const { return values_; }

  /// Takes the values of a checkpoint. Throws CheckpointError, and then leaves them as they were.
  void load(const SafetensorsFile& file);

  /// Logits (tokens, vocab_size) of one sequence at positions 0, 1, 2, …
  Tensor<T> logits(std::span<const Token> tokens) const;

 private:
  std::unique_ptr<const Model<T>> model_;
  Parameters<T> values_;
};

extern template class Instance<float>;
extern template class Instance<double>;

}  // namespace ordinal
