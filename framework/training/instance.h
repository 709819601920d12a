// A model together with its parameter values: for programs that use a trained model, or their own.
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

  /// Loads the values of a checkpoint. If it throws CheckpointError, the values are unchanged.
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
