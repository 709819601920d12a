// The activations of a feed-forward layer: elementwise GELU (exact and tanh), ReLU and SiLU, and the gated SwiGLU and gates
// by any other one, which halve the width. They have no parameters.
#pragma once

#include <memory>
#include <utility>

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

/// The same with any activation f in place of silu, a layer. Dauphin et al. 2017. SwiGlu takes less time and memory.
template <typename T>
class Gate final : public Layer<T> {
 public:
  explicit Gate(std::unique_ptr<Layer<T>> f) : f_(std::move(f)) {}

  Index input_width() const override { return 2 * output_width(); }
  Index output_width() const override { return f_->output_width(); }
  Cost cost(Index seq_len) const override {
    return f_->cost(seq_len) + Cost{0.0, static_cast<double>(output_width())};
  }
  View<const T> forward(View<const T> x, Pass<T>& pass) const override;
  View<const T> backward(View<const T> dy, Pass<T>& pass) const override;

 private:
  std::unique_ptr<Layer<T>> f_;
};

extern template class ElementwiseActivation<float>;
extern template class ElementwiseActivation<double>;
extern template class SwiGlu<float>;
extern template class SwiGlu<double>;
extern template class Gate<float>;
extern template class Gate<double>;

}  // namespace ordinal
