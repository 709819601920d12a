// The position-wise feed-forward network of a transformer block.
#include <fmt/format.h>

#include <utility>

#include "framework/core/errors.h"
#include "framework/layers/layer_registry.h"
#include "framework/layers/linear.h"
#include "framework/math/vector_math.h"

namespace ordinal {
namespace {

struct FeedForwardOptions {
  Index ff = 0;
  std::string activation = "gelu";
  bool is_gate = false;  // the activation is the f of a gate and must not be gated itself

  void visit(OptionVisitor& v) {
    v.integer("ff", ff, automatic_or(1, 262144), "hidden units; 0: 4 · d_model");
    v.part("activation", activation, layers(LayerKind::activation).names(),
           is_gate ? "of the gate; must not be gated itself" : "of the hidden units");
  }
  void resolve(const ModelShape& shape) {
    if (ff == 0) ff = 4 * shape.d_model;
  }
};
struct GatedLinearOptions : FeedForwardOptions {
  GatedLinearOptions() {
    activation = "silu";
    is_gate = true;
  }
};

/// y = f(g) ⊙ u where the columns of x are [g, u], for any activation f. Dauphin et al. 2017. `swiglu` is the same with silu
/// but takes less time and memory.
template <typename T>
class Gate final : public Layer<T> {
 public:
  explicit Gate(std::unique_ptr<Layer<T>> f) : f_(std::move(f)) {}

  Index input_width() const override { return 2 * output_width(); }
  Index output_width() const override { return f_->output_width(); }
  View<const T> forward(View<const T> x, Pass<T>& pass) const override {
    this->check_width("Gate", x);
    const Index width = output_width();
    const View<const T> up = x.col_range(width, width);
    const View<const T> gate = f_->forward(x.col_range(0, width), pass);
    pass.save("Gate", up);
    pass.save("Gate", gate);
    const View<T> y = pass.allocate(x.rows, width);
    for (Index r = 0; r < x.rows; ++r) vmath::multiply(gate.row(r), up.row(r), y.row(r), width);
    return y;
  }

  // dg = f'(g) ⊙ (u ⊙ dy)        du = f(g) ⊙ dy.
  View<const T> backward(View<const T> dy, Pass<T>& pass) const override {
    const View<const T> gate = pass.restore("Gate");
    const View<const T> up = pass.restore("Gate");
    const Index width = output_width();
    const View<T> dx = pass.allocate(dy.rows, 2 * width);
    const View<T> d_gate = pass.allocate(dy.rows, width);
    for (Index r = 0; r < dy.rows; ++r) {
      vmath::multiply(dy.row(r), up.row(r), d_gate.row(r), width);
      vmath::multiply(gate.row(r), dy.row(r), dx.row(r) + width, width);
    }
    const View<const T> d_before = f_->backward(d_gate, pass);
    for (Index r = 0; r < dy.rows; ++r) std::copy_n(d_before.row(r), width, dx.row(r));
    return dx;
  }

 private:
  std::unique_ptr<Layer<T>> f_;
};

template <typename T>
std::unique_ptr<Layer<T>> activation_of(const LayerContext<T>& context, const FeedForwardOptions& options,
                                        const Scope& scope) {
  auto activation = make_layer<T>(LayerKind::activation, options.activation,
                                  {.width = options.ff, .shape = context.shape}, scope.nested("activation"));
  if (!options.is_gate) return activation;
  if (activation->input_width() == activation->output_width()) {
    return std::make_unique<Gate<T>>(std::move(activation));
  }
  throw ConfigError(
      fmt::format("gated_linear.activation: got '{0}', which is gated itself; expected an elementwise "
                  "one such as silu (or use feed_forward with '{0}')",
                  options.activation));
}

// The rows of W_up: one matrix, or with a gate two.
std::vector<Index> gates_and_values(Index rows, Index ff) {
  return std::vector<Index>(static_cast<std::size_t>(rows / ff), ff);
}

/// See feed_forward_layer() and gated_linear_layer() below.
template <typename T>
class FeedForward final : public Layer<T> {
 public:
  /// `options` must be resolved. Throws ConfigError if the activation is unknown, or if that of a gate is itself gated.
  FeedForward(const LayerContext<T>& context, const FeedForwardOptions& options, const Scope& scope)
      : activation_(activation_of(context, options, scope)),
        up_({.in = context.width,
             .out = activation_->input_width(),
             .bias = context.bias,
             .stacked = gates_and_values(activation_->input_width(), options.ff)},
            scope.nested("up")),
        down_({.in = options.ff, .out = context.width, .bias = context.bias, .role = Linear<T>::Role::last},
              scope.nested("down")) {}

  Index input_width() const override { return up_.input_width(); }

  View<const T> forward(View<const T> x, Pass<T>& pass) const override {
    this->check_width("FeedForward", x);
    return down_.forward(activation_->forward(up_.forward(x, pass), pass), pass);
  }

  // The chain rule, layer by layer from the end.
  View<const T> backward(View<const T> dy, Pass<T>& pass) const override {
    return up_.backward(activation_->backward(down_.backward(dy, pass), pass), pass);
  }

 private:
  std::unique_ptr<Layer<T>> activation_;
  Linear<T> up_;
  Linear<T> down_;
};

}  // namespace

LayerEntry feed_forward_layer() {
  return describe_layer<FeedForward, FeedForwardOptions>(
      {.name = "feed_forward",
       .kind = LayerKind::branch,
       .summary = "f(x W_upᵀ + b) W_downᵀ + b with an activation f; Vaswani et al. 2017, §3.3",
       .definition =
           R"(y = f(x W_upᵀ + b_up) W_downᵀ + b_down, f = activation (--list gelu). ff = 0 means 4 d_model. A gated
activation takes 2 ff columns, and W_up and b_up then have 2 ff rows, the gates first.
Parameters:
  block.N.feed_forward.up.weight    W_up    (ff, d_model)  model.init
  block.N.feed_forward.up.bias      b_up    (ff)           0
  block.N.feed_forward.down.weight  W_down  (d_model, ff)  model.init, last
  block.N.feed_forward.down.bias    b_down  (d_model)      0
Vaswani et al. 2017, §3.3.)"});
}

LayerEntry gated_linear_layer() {
  return describe_layer<FeedForward, GatedLinearOptions>(
      {.name = "gated_linear",
       .kind = LayerKind::branch,
       .summary = "(f(x W_gateᵀ) ⊙ x W_upᵀ) W_downᵀ with an activation f; Dauphin et al. 2017, Shazeer 2020",
       .definition =
           R"(y = (f(g) ⊙ u) W_downᵀ + b_down,  [g u] = x W_upᵀ + b_up with ff columns each, f = activation (--list silu), which
must not be gated. ff = 0 means 4 d_model. With silu, it equals feed_forward(activation=swiglu), bit for bit.
Parameters:
  block.N.gated_linear.up.weight    W_up    (2 ff, d_model)  model.init
  block.N.gated_linear.up.bias      b_up    (2 ff)           0
  block.N.gated_linear.down.weight  W_down  (d_model, ff)    model.init, last
  block.N.gated_linear.down.bias    b_down  (d_model)        0
Dauphin et al. 2017; Shazeer 2020.)"});
}

}  // namespace ordinal
