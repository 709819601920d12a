// The activations of a feed-forward layer: elementwise GELU (exact and tanh), ReLU and SiLU, and the gated
// SwiGLU, which halves its width. They have no parameters.
#pragma once

#include "framework/layers/layer.h"

namespace ordinal {

/// y = f(x) for each element; dx = f'(x) ⊙ dy. See core/vector_math.h for the functions and derivatives.
template <typename T>
class ElementwiseActivation final : public Layer<T> {
 public:
  using Function = void (*)(const T* x, T* y, Index n);
  using Derivative = void (*)(const T* x, const T* dy, T* dx, Index n);

  ElementwiseActivation(Index width, Function function, Derivative derivative)
      : width_(width), function_(function), derivative_(derivative) {}

  Index input_width() const override { return width_; }
  Index output_width() const override { return width_; }
  Cost cost(Index /*seq_len*/) const override { return {0.0, static_cast<double>(width_)}; }
  View<const T> forward(View<const T> x, Pass<T>& pass) const override;
  View<const T> backward(View<const T> dy, Pass<T>& pass) const override;

 private:
  Index width_;
  Function function_;
  Derivative derivative_;
};

/// y = silu(g) ⊙ u where the columns of x are [g, u]: (tokens, 2·width) -> (tokens, width). Shazeer 2020,
/// eq. 6.
template <typename T>
class SwiGlu final : public Layer<T> {
 public:
  /// `width` is that of the output.
  SwiGlu(Index width, const Scope& /*scope*/) : width_(width) {}

  Index input_width() const override { return 2 * width_; }
  Index output_width() const override { return width_; }
  Cost cost(Index /*seq_len*/) const override { return {0.0, static_cast<double>(width_)}; }
  View<const T> forward(View<const T> x, Pass<T>& pass) const override;
  View<const T> backward(View<const T> dy, Pass<T>& pass) const override;

 private:
  Index width_;
};

extern template class ElementwiseActivation<float>;
extern template class ElementwiseActivation<double>;
extern template class SwiGlu<float>;
extern template class SwiGlu<double>;

}  // namespace ordinal
