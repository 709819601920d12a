// The contract of every layer. A layer is immutable: it knows its sizes and where its parameters lie, and a
// Pass carries everything that changes, so all threads share one model. Look at linear.cpp for the shortest
// example, and at gradient_check.h to hold a layer of your own against finite differences.
#pragma once

#include "framework/core/pass.h"

namespace ordinal {

/// A differentiable map from (tokens, input_width) to (tokens, output_width), row b·seq_len + t for token t
/// of sequence b.
template <typename T>
class Layer {
 public:
  Layer() = default;
  Layer(const Layer&) = delete;
  Layer& operator=(const Layer&) = delete;
  virtual ~Layer() = default;

  virtual Index input_width() const = 0;
  virtual Index output_width() const = 0;

  /// y = f(x). Saves in `pass` what backward needs. May return x itself where f is the identity.
  virtual View<const T> forward(View<const T> x, Pass<T>& pass) const = 0;

  /// dx = (∂f/∂x)ᵀ dy, and for each parameter θ adds (∂f/∂θ)ᵀ dy to its gradient. Restores what forward saved
  /// in exactly the reverse order. x and dy are not changed; may return dy itself where f is the identity.
  virtual View<const T> backward(View<const T> dy, Pass<T>& pass) const = 0;
};

}  // namespace ordinal
