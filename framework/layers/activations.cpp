// The activations of a feed-forward layer: elementwise GELU (exact and tanh), ReLU and SiLU, and the gated SwiGLU, which halves
// the width. They have no parameters.
#include "framework/layers/layer_registry.h"
#include "framework/math/vector_math.h"

namespace ordinal {
namespace {

/// y = f(x) for each element; dx = f'(x) ⊙ dy. See math/vector_math.h for the functions and derivatives.
template <typename T, void (*function)(const T* x, T* y, Index n),
          void (*derivative)(const T* x, const T* dy, T* dx, Index n)>
class ElementwiseActivation final : public Layer<T> {
 public:
  ElementwiseActivation(Index width, const Scope& /*scope*/) : width_(width) {}

  Index input_width() const override { return width_; }
  Index output_width() const override { return width_; }
  View<const T> forward(View<const T> x, Pass<T>& pass) const override {
    this->check_width("ElementwiseActivation", x);
    pass.save("ElementwiseActivation", x);
    const View<T> y = pass.allocate(x.rows, x.cols);
    for (Index r = 0; r < x.rows; ++r) function(x.row(r), y.row(r), x.cols);
    return y;
  }

  View<const T> backward(View<const T> dy, Pass<T>& pass) const override {
    const View<const T> x = pass.restore("ElementwiseActivation");
    const View<T> dx = pass.allocate(x.rows, x.cols);
    for (Index r = 0; r < x.rows; ++r) derivative(x.row(r), dy.row(r), dx.row(r), x.cols);
    return dx;
  }

 private:
  Index width_;
};

template <typename T>
using Gelu = ElementwiseActivation<T, vmath::gelu<T>, vmath::gelu_backward<T>>;
template <typename T>
using GeluTanh = ElementwiseActivation<T, vmath::gelu_tanh<T>, vmath::gelu_tanh_backward<T>>;
template <typename T>
using Relu = ElementwiseActivation<T, vmath::relu<T>, vmath::relu_backward<T>>;
template <typename T>
using Silu = ElementwiseActivation<T, vmath::silu<T>, vmath::silu_backward<T>>;

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
      vmath::silu(x.row(r), y.row(r), width_);
      vmath::multiply(y.row(r), x.row(r) + width_, y.row(r), width_);
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
      T* d_gate = dx.row(r);
      T* d_up = dx.row(r) + width_;
      vmath::multiply(dy.row(r), up, d_up, width_);
      vmath::silu_backward(gate, d_up, d_gate, width_);
      vmath::silu(gate, d_up, width_);
      vmath::multiply(d_up, dy.row(r), d_up, width_);
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
