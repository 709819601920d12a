#include "framework/training/instance.h"

#include <utility>

#include "framework/training/checkpoint.h"

namespace ordinal {

template <typename T>
Instance<T>::Instance(std::unique_ptr<const Model<T>> model, std::uint64_t seed)
    : model_(std::move(model)), values_(model_->layout()) {
  initialize(values_, seed);
}

template <typename T>
void Instance<T>::load(const SafetensorsFile& file) {
  load_parameters(file, values_);
}

template <typename T>
Tensor<T> Instance<T>::logits(std::span<const Token> tokens) const {
  Pass<T> pass(values_);
  pass.begin({.positions = Positions::contiguous(1, std::ssize(tokens))});
  const View<const T> logits = model_->logits(model_->hidden(tokens, pass), pass);
  return Tensor<T>({logits.rows, logits.cols}, {logits.data, static_cast<std::size_t>(logits.size())});
}

ORDINAL_INSTANTIATE(Instance);

}  // namespace ordinal
