#include "framework/layers/activations.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "framework/core/vector_math.h"
#include "framework/layers/registry.h"

namespace ordinal {

template <typename T>
View<const T> ElementwiseActivation<T>::forward(View<const T> x, Pass<T>& pass) const {
  this->check_width("ElementwiseActivation", x);
  const auto timer = pass.timed(Work::activations);
  pass.save("ElementwiseActivation", x);
  const View<T> y = pass.allocate(x.rows, x.cols);
  for (Index r = 0; r < x.rows; ++r) function_(x.row(r), y.row(r), x.cols);
  return y;
}

template <typename T>
View<const T> ElementwiseActivation<T>::backward(View<const T> dy, Pass<T>& pass) const {
  const auto timer = pass.timed(Work::activations);
  const View<const T> x = pass.restore("ElementwiseActivation");
  const View<T> dx = pass.allocate(x.rows, x.cols);
  for (Index r = 0; r < x.rows; ++r) derivative_(x.row(r), dy.row(r), dx.row(r), x.cols);
  return dx;
}

template <typename T>
View<const T> SwiGlu<T>::forward(View<const T> x, Pass<T>& pass) const {
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
template <typename T>
View<const T> SwiGlu<T>::backward(View<const T> dy, Pass<T>& pass) const {
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

template <typename T>
View<const T> Gate<T>::forward(View<const T> x, Pass<T>& pass) const {
  this->check_width("Gate", x);
  const Index width = output_width();
  const View<const T> up = x.col_range(width, width);
  const View<const T> gate = f_->forward(x.col_range(0, width), pass);
  const auto timer = pass.timed(Work::activations);
  pass.save("Gate", up);
  pass.save("Gate", gate);
  const View<T> y = pass.allocate(x.rows, width);
  for (Index r = 0; r < x.rows; ++r) vmath::multiply(gate.row(r), up.row(r), y.row(r), width);
  return y;
}

// dg = f'(g) ⊙ (u ⊙ dy)        du = f(g) ⊙ dy.
template <typename T>
View<const T> Gate<T>::backward(View<const T> dy, Pass<T>& pass) const {
  const View<const T> gate = pass.restore("Gate");
  const View<const T> up = pass.restore("Gate");
  const Index width = output_width();
  const View<T> dx = pass.allocate(dy.rows, 2 * width);
  const View<T> d_gate = pass.allocate(dy.rows, width);
  {
    const auto timer = pass.timed(Work::activations);
    for (Index r = 0; r < dy.rows; ++r) {
      vmath::multiply(dy.row(r), up.row(r), d_gate.row(r), width);
      vmath::multiply(gate.row(r), dy.row(r), dx.row(r) + width, width);
    }
  }
  const View<const T> d_before = f_->backward(d_gate, pass);
  for (Index r = 0; r < dy.rows; ++r) std::copy_n(d_before.row(r), width, dx.row(r));
  return dx;
}

ORDINAL_INSTANTIATE(ElementwiseActivation);
ORDINAL_INSTANTIATE(SwiGlu);
ORDINAL_INSTANTIATE(Gate);

namespace {

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
  entry.resolve = [](const Part& part, const ModelShape& shape) {
    return specs_of(resolved_options<NoOptions>(part.name, part.options, shape));
  };
  entry.build_float = build_elementwise<float>;
  entry.build_double = build_elementwise<double>;
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
