#include "framework/layers/activations.h"

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

ORDINAL_INSTANTIATE(ElementwiseActivation);
ORDINAL_INSTANTIATE(SwiGlu);

namespace {

template <typename T>
using Built = std::unique_ptr<Layer<T>>;

template <typename T>
Built<T> elementwise(const Part& part, Index width, typename ElementwiseActivation<T>::Function function,
                     typename ElementwiseActivation<T>::Derivative derivative) {
  read_options<NoOptions>(part.name, part.options);
  return std::make_unique<ElementwiseActivation<T>>(width, function, derivative);
}

template <typename T>
Built<T> make_gelu(const Part& part, const LayerContext<T>& context, const Scope& /*scope*/) {
  return elementwise<T>(part, context.width, vmath::gelu<T>, vmath::gelu_backward<T>);
}

template <typename T>
Built<T> make_gelu_tanh(const Part& part, const LayerContext<T>& context, const Scope& /*scope*/) {
  return elementwise<T>(part, context.width, vmath::gelu_tanh<T>, vmath::gelu_tanh_backward<T>);
}

template <typename T>
Built<T> make_relu(const Part& part, const LayerContext<T>& context, const Scope& /*scope*/) {
  return elementwise<T>(part, context.width, vmath::relu<T>, vmath::relu_backward<T>);
}

template <typename T>
Built<T> make_silu(const Part& part, const LayerContext<T>& context, const Scope& /*scope*/) {
  return elementwise<T>(part, context.width, vmath::silu<T>, vmath::silu_backward<T>);
}

LayerEntry activation(const char* name, const char* summary, decltype(LayerEntry::build_float) build_float,
                      decltype(LayerEntry::build_double) build_double) {
  LayerEntry entry{.name = name, .kind = LayerKind::activation, .summary = summary};
  entry.options = [] { return std::vector<OptionSpec>(); };
  entry.resolve = [](const Part& part, const ModelShape& shape) {
    return specs_of(resolved_options<NoOptions>(part.name, part.options, shape));
  };
  entry.build_float = build_float;
  entry.build_double = build_double;
  return entry;
}

}  // namespace

LayerEntry gelu_layer() {
  return activation("gelu", "x Φ(x), exact; Hendrycks & Gimpel 2016", make_gelu<float>, make_gelu<double>);
}

LayerEntry gelu_tanh_layer() {
  return activation("gelu_tanh", "x (1 + tanh(√(2/π)(x + 0.044715 x³)))/2; Hendrycks & Gimpel 2016",
                    make_gelu_tanh<float>, make_gelu_tanh<double>);
}

LayerEntry relu_layer() {
  return activation("relu", "max(x, 0), derivative 0 at 0", make_relu<float>, make_relu<double>);
}

LayerEntry silu_layer() {
  return activation("silu", "x / (1 + exp(-x)); Elfwing et al. 2017", make_silu<float>, make_silu<double>);
}

LayerEntry swiglu_layer() {
  return describe_layer<SwiGlu>({.name = "swiglu",
                                 .kind = LayerKind::activation,
                                 .summary = "silu(g) ⊙ u for columns [g, u]; Shazeer 2020"});
}

}  // namespace ordinal
