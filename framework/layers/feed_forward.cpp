#include "framework/layers/feed_forward.h"

namespace ordinal {

void FeedForwardOptions::visit(OptionVisitor& v) {
  v.integer("ff", ff, automatic_or(1, 262144), "hidden units; 0: 4 · d_model");
  v.part("activation", activation, layers(LayerKind::activation).names(), "of the hidden units");
}

void FeedForwardOptions::resolve(const ModelShape& shape) {
  if (ff == 0) ff = 4 * shape.d_model;
}

template <typename T>
FeedForward<T>::FeedForward(const LayerContext<T>& context, const FeedForwardOptions& options,
                            const Scope& scope)
    : activation_(make_layer<T>(LayerKind::activation, options.activation,
                                {.width = options.ff, .shape = context.shape}, scope.nested("activation"))),
      up_({context.width, activation_->input_width(), context.bias}, scope.nested("up")),
      down_({options.ff, context.width, context.bias, context.output_scale}, scope.nested("down")) {}

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

}  // namespace ordinal
