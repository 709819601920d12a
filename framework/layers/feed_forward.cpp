#include "framework/layers/feed_forward.h"

#include "framework/layers/registry.h"

namespace ordinal {

template <typename T>
FeedForward<T>::FeedForward(const Options& options, const Scope& scope)
    : activation_(make_layer<T>(LayerKind::activation, options.activation, options.hidden,
                                scope.nested("activation"))),
      up_({options.d_model, activation_->input_width(), options.bias}, scope.nested("up")),
      down_({options.hidden, options.d_model, options.bias, options.output_scale}, scope.nested("down")) {}

template <typename T>
View<const T> FeedForward<T>::forward(View<const T> x, Pass<T>& pass) const {
  return down_.forward(activation_->forward(up_.forward(x, pass), pass), pass);
}

// The chain rule, layer by layer from the end.
template <typename T>
View<const T> FeedForward<T>::backward(View<const T> dy, Pass<T>& pass) const {
  return up_.backward(activation_->backward(down_.backward(dy, pass), pass), pass);
}

template class FeedForward<float>;
template class FeedForward<double>;

}  // namespace ordinal
