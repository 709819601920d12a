// The activations of a feed-forward layer: elementwise GELU (exact and tanh), ReLU and SiLU, and the gated SwiGLU, which halves
// the width. They have no parameters.
#include "framework/layers/layer_registry.h"
#include "framework/math/functions.h"

namespace ordinal {
namespace {

/// y = f(x) for each element; dx = f'(x) ⊙ dy.
template <typename T, typename F>
class ElementwiseActivation final : public Layer<T> {
 public:
  ElementwiseActivation(Index width, const Scope& /*scope*/) : width_(width) {}

  Index input_width() const override { return width_; }
  View<const T> forward(View<const T> x, Pass<T>& pass) const override {
    this->check_width("ElementwiseActivation", x);
    pass.save("ElementwiseActivation", x);
    const View<T> y = pass.allocate(x.rows, x.cols);
    for (Index r = 0; r < x.rows; ++r) {
      const T* x_r = x.row(r);
      T* y_r = y.row(r);
#pragma omp simd
      for (Index c = 0; c < x.cols; ++c) y_r[c] = F::value(x_r[c]);
    }
    return y;
  }

  View<const T> backward(View<const T> dy, Pass<T>& pass) const override {
    const View<const T> x = pass.restore("ElementwiseActivation");
    const View<T> dx = pass.allocate(x.rows, x.cols);
    for (Index r = 0; r < x.rows; ++r) {
      const T* x_r = x.row(r);
      const T* dy_r = dy.row(r);
      T* dx_r = dx.row(r);
#pragma omp simd
      for (Index c = 0; c < x.cols; ++c) dx_r[c] = F::backward(x_r[c], dy_r[c]);
    }
    return dx;
  }

 private:
  Index width_;
};

template <typename T>
using Gelu = ElementwiseActivation<T, vmath::Gelu<T>>;
template <typename T>
using GeluTanh = ElementwiseActivation<T, vmath::GeluTanh<T>>;
template <typename T>
using Relu = ElementwiseActivation<T, vmath::Relu<T>>;
template <typename T>
using Silu = ElementwiseActivation<T, vmath::Silu<T>>;

/// y = silu(g) ⊙ u where the columns of x are [g, u]: (tokens, 2·width) -> (tokens, width). Shazeer 2020,
/// eq. 6.
template <typename T>
class SwiGlu final : public Layer<T> {
 public:
  /// `width` is the output width.
  SwiGlu(Index width, const Scope& /*scope*/) : width_(width) {}

  Index input_width() const override { return 2 * width_; }
  Index output_width() const override { return width_; }
  View<const T> forward(View<const T> x, Pass<T>& pass) const override {
    this->check_width("SwiGlu", x);
    pass.save("SwiGlu", x);
    const View<T> y = pass.allocate(x.rows, width_);
    for (Index r = 0; r < x.rows; ++r) {
      const T* gate = x.row(r);
      const T* up = x.row(r) + width_;
      T* y_r = y.row(r);
#pragma omp simd
      for (Index c = 0; c < width_; ++c) y_r[c] = vmath::Silu<T>::value(gate[c]) * up[c];
    }
    return y;
  }

  // y = s(g) u with s = silu:   dg = s'(g) u dy        du = s(g) dy.
  View<const T> backward(View<const T> dy, Pass<T>& pass) const override {
    const View<const T> x = pass.restore("SwiGlu");
    const View<T> dx = pass.allocate(x.rows, x.cols);
    for (Index r = 0; r < x.rows; ++r) {
      const T* gate = x.row(r);
      const T* up = x.row(r) + width_;
      const T* dy_r = dy.row(r);
      T* d_gate = dx.row(r);
      T* d_up = dx.row(r) + width_;
#pragma omp simd
      for (Index c = 0; c < width_; ++c) {
        d_gate[c] = vmath::Silu<T>::backward(gate[c], dy_r[c] * up[c]);
        d_up[c] = vmath::Silu<T>::value(gate[c]) * dy_r[c];
      }
    }
    return dx;
  }

 private:
  Index width_;
};

template <template <typename> class Activation>
LayerEntry activation(const char* name, const char* summary) {
  return describe_layer<Activation>({.name = name, .kind = LayerKind::activation, .summary = summary});
}

}  // namespace

LayerEntry gelu_layer() { return activation<Gelu>("gelu", "x Φ(x), exact; Hendrycks & Gimpel 2016"); }

LayerEntry gelu_tanh_layer() {
  return activation<GeluTanh>("gelu_tanh",
                              "x (1 + tanh(√(2/π)(x + 0.044715 x³)))/2; Hendrycks & Gimpel 2016");
}

LayerEntry relu_layer() { return activation<Relu>("relu", "max(x, 0), derivative 0 at 0"); }

LayerEntry silu_layer() { return activation<Silu>("silu", "x / (1 + exp(-x)); Elfwing et al. 2017"); }

LayerEntry swiglu_layer() {
  return activation<SwiGlu>("swiglu", "silu(g) ⊙ u for columns [g, u]; Shazeer 2020");
}

}  // namespace ordinal
