// The activations of a feed-forward layer: elementwise GELU (exact and tanh), ReLU and SiLU, and the gated SwiGLU, which halves
// the width. They have no parameters.
#include <algorithm>
#include <array>
#include <string_view>

#include "framework/core/vector_math.h"
#include "framework/layers/layer.h"

namespace ordinal {
namespace {

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
  View<const T> forward(View<const T> x, Pass<T>& pass) const override {
    this->check_width("ElementwiseActivation", x);
    const auto timer = pass.timed(Work::activations);
    pass.save("ElementwiseActivation", x);
    const View<T> y = pass.allocate(x.rows, x.cols);
    for (Index r = 0; r < x.rows; ++r) function_(x.row(r), y.row(r), x.cols);
    return y;
  }

  View<const T> backward(View<const T> dy, Pass<T>& pass) const override {
    const auto timer = pass.timed(Work::activations);
    const View<const T> x = pass.restore("ElementwiseActivation");
    const View<T> dx = pass.allocate(x.rows, x.cols);
    for (Index r = 0; r < x.rows; ++r) derivative_(x.row(r), dy.row(r), dx.row(r), x.cols);
    return dx;
  }

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
  /// `width` is the output width.
  SwiGlu(Index width, const Scope& /*scope*/) : width_(width) {}

  Index input_width() const override { return 2 * width_; }
  Index output_width() const override { return width_; }
  Cost cost(Index /*seq_len*/) const override { return {0.0, static_cast<double>(width_)}; }
  View<const T> forward(View<const T> x, Pass<T>& pass) const override {
    this->check_width("SwiGlu", x);
    const auto timer = pass.timed(Work::activations);
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
    const auto timer = pass.timed(Work::activations);
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

template <typename T>
struct Elementwise {
  std::string_view name;
  typename ElementwiseActivation<T>::Function function;
  typename ElementwiseActivation<T>::Derivative derivative;
};

template <typename T>
constexpr std::array elementwise = {
    Elementwise<T>{"gelu", vmath::gelu<T>, vmath::gelu_backward<T>},
    Elementwise<T>{"gelu_tanh", vmath::gelu_tanh<T>, vmath::gelu_tanh_backward<T>},
    Elementwise<T>{"relu", vmath::relu<T>, vmath::relu_backward<T>},
    Elementwise<T>{"silu", vmath::silu<T>, vmath::silu_backward<T>}};

template <typename T>
std::unique_ptr<Layer<T>> build_elementwise(const Part& part, const LayerContext<T>& context,
                                            const Scope& /*scope*/) {
  read_options<NoOptions>(part.name, part.options);
  const auto found = std::ranges::find(elementwise<T>, part.name, &Elementwise<T>::name);
  return std::make_unique<ElementwiseActivation<T>>(context.width, found->function, found->derivative);
}

LayerEntry activation(const char* name, const char* summary) {
  LayerEntry entry{.name = name, .kind = LayerKind::activation, .summary = summary};
  entry.options = [] { return std::vector<OptionSpec>(); };
  entry.resolve = resolved_specs<NoOptions>;
  entry.build = {build_elementwise<float>, build_elementwise<double>};
  return entry;
}

}  // namespace

LayerEntry gelu_layer() { return activation("gelu", "x Φ(x), exact; Hendrycks & Gimpel 2016"); }

LayerEntry gelu_tanh_layer() {
  return activation("gelu_tanh", "x (1 + tanh(√(2/π)(x + 0.044715 x³)))/2; Hendrycks & Gimpel 2016");
}

LayerEntry relu_layer() { return activation("relu", "max(x, 0), derivative 0 at 0"); }

LayerEntry silu_layer() { return activation("silu", "x / (1 + exp(-x)); Elfwing et al. 2017"); }

LayerEntry swiglu_layer() {
  return describe_layer<SwiGlu>({.name = "swiglu",
                                 .kind = LayerKind::activation,
                                 .summary = "silu(g) ⊙ u for columns [g, u]; Shazeer 2020"});
}

}  // namespace ordinal
