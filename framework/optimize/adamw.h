// AdamW on a range of parameters, for optimizers that use it for all parameters or for some.
#pragma once

#include "framework/core/options.h"
#include "framework/core/parameters.h"

namespace ordinal {

struct AdamWOptions {
  double beta1 = 0.9;
  double beta2 = 0.95;
  double epsilon = 1e-8;
  double weight_decay = 0.01;

  void visit(OptionVisitor& v);
};

/// AdamW, Loshchilov & Hutter 2019, algorithm 2, in PyTorch's form, with t = step + 1:
///   θ ← θ - η λ θ
///   m ← β1 m + (1 - β1) g        v ← β2 v + (1 - β2) g²
///   θ ← θ - η m/(1 - β1ᵗ) / (√(v/(1 - β2ᵗ)) + ε)
template <typename T>
class AdamWState {
 public:
  AdamWState(const AdamWOptions& options, const ParameterLayout& layout)
      : options_(options), mean_(layout), square_(layout) {}

  /// One step for the parameters of a range. Ranges that share no element may be updated side by side.
  void update(const ParameterRange& range, T* values, const T* gradients, double gradient_scale,
              double learning_rate, Index step);

  const AdamWOptions& options() const { return options_; }
  Parameters<T>& mean() { return mean_; }
  Parameters<T>& square() { return square_; }

 private:
  AdamWOptions options_;
  Parameters<T> mean_;    // m
  Parameters<T> square_;  // v
};

}  // namespace ordinal
