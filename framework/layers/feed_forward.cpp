#include "framework/layers/feed_forward.h"

#include <fmt/format.h>

#include <utility>

#include "framework/core/errors.h"
#include "framework/layers/activations.h"

namespace ordinal {

void FeedForwardOptions::visit(OptionVisitor& v) {
  v.integer("ff", ff, automatic_or(1, 262144), "hidden units; 0: 4 · d_model");
  v.part("activation", activation, layers(LayerKind::activation).names(), "of the hidden units");
}

void FeedForwardOptions::resolve(const ModelShape& shape) {
  if (ff == 0) ff = 4 * shape.d_model;
}

void GatedLinearOptions::visit(OptionVisitor& v) {
  v.integer("ff", ff, automatic_or(1, 262144), "hidden units; 0: 4 · d_model");
  v.part("activation", activation, layers(LayerKind::activation).names(), "of the gate; not a gated one");
}

void GatedLinearOptions::resolve(const ModelShape& shape) {
  if (ff == 0) ff = 4 * shape.d_model;
}

namespace {

template <typename T>
std::unique_ptr<Layer<T>> activation_of(const LayerContext<T>& context, const std::string& name, Index ff,
                                        const Scope& scope) {
  return make_layer<T>(LayerKind::activation, name, {.width = ff, .shape = context.shape},
                       scope.nested("activation"));
}

template <typename T>
std::unique_ptr<Layer<T>> gated(const std::string& name, std::unique_ptr<Layer<T>> activation) {
  if (activation->input_width() == activation->output_width()) {
    return std::make_unique<Gate<T>>(std::move(activation));
  }
  throw ConfigError(
      fmt::format("gated_linear.activation: got '{}', which is gated itself; expected an elementwise "
                  "one such as silu (or use feed_forward with '{}')",
                  name, name));
}

}  // namespace

template <typename T>
FeedForward<T>::FeedForward(const LayerContext<T>& context, Index ff, std::unique_ptr<Layer<T>> activation,
                            const Scope& scope)
    : activation_(std::move(activation)),
      up_({context.width, activation_->input_width(), context.bias}, scope.nested("up")),
      down_({ff, context.width, context.bias, context.output_scale}, scope.nested("down")) {}

template <typename T>
FeedForward<T>::FeedForward(const LayerContext<T>& context, const FeedForwardOptions& options,
                            const Scope& scope)
    : FeedForward(context, options.ff, activation_of(context, options.activation, options.ff, scope), scope) {
}

template <typename T>
FeedForward<T>::FeedForward(const LayerContext<T>& context, const GatedLinearOptions& options,
                            const Scope& scope)
    : FeedForward(context, options.ff,
                  gated(options.activation, activation_of(context, options.activation, options.ff, scope)),
                  scope) {}

template <typename T>
View<const T> FeedForward<T>::forward(View<const T> x, Pass<T>& pass) const {
  this->check_width("FeedForward", x);
  return down_.forward(activation_->forward(up_.forward(x, pass), pass), pass);
}

// The chain rule, layer by layer from the end.
template <typename T>
View<const T> FeedForward<T>::backward(View<const T> dy, Pass<T>& pass) const {
  return up_.backward(activation_->backward(down_.backward(dy, pass), pass), pass);
}

ORDINAL_INSTANTIATE(FeedForward);

LayerEntry feed_forward_layer() {
  return describe_layer<FeedForward, FeedForwardOptions>(
      {.name = "feed_forward",
       .kind = LayerKind::branch,
       .summary = "f(x W_upᵀ + b) W_downᵀ + b with an activation f; Vaswani et al. 2017, §3.3",
       .definition =
           R"(y = f(x W_upᵀ + b_up) W_downᵀ + b_down, f = activation (--list gelu). ff = 0 is 4 d_model. A gated activation
takes 2 ff columns, and W_up and b_up then have 2 ff rows, the gates first.
Parameters:
  block.N.feed_forward.up.weight    W_up    (ff, d_model)  N(0, 0.02²)
  block.N.feed_forward.up.bias      b_up    (ff)           0
  block.N.feed_forward.down.weight  W_down  (d_model, ff)  N(0, (0.02/√n)²)
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
is not a gated one. ff = 0 is 4 d_model. With silu it is feed_forward(activation=swiglu), bit for bit.
Parameters:
  block.N.gated_linear.up.weight    W_up    (2 ff, d_model)  N(0, 0.02²)
  block.N.gated_linear.up.bias      b_up    (2 ff)           0
  block.N.gated_linear.down.weight  W_down  (d_model, ff)    N(0, (0.02/√n)²)
  block.N.gated_linear.down.bias    b_down  (d_model)        0
Dauphin et al. 2017; Shazeer 2020.)"});
}

}  // namespace ordinal
