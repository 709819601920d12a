// The position-wise feed-forward network of a transformer block.
#pragma once

#include <memory>
#include <string>

#include "framework/layers/layer.h"
#include "framework/layers/linear.h"

namespace ordinal {

/// y = f(x W_upᵀ + b_up) W_downᵀ + b_down with a registered activation f of `hidden` outputs. Vaswani et al.
/// 2017, §3.3. For a gated activation W_up has 2·hidden rows: the gates first.
template <typename T>
class FeedForward final : public Layer<T> {
 public:
  struct Options {
    Index d_model = 0;
    Index hidden = 0;
    std::string activation = "gelu";
    bool bias = true;
    double output_scale = 0.02;  // standard deviation of W_down at the start
  };

  /// Throws ConfigError for an unknown activation.
  FeedForward(const Options& options, const Scope& scope);

  Index input_width() const override { return up_.input_width(); }
  Index output_width() const override { return down_.output_width(); }
  View<const T> forward(View<const T> x, Pass<T>& pass) const override;
  View<const T> backward(View<const T> dy, Pass<T>& pass) const override;

 private:
  std::unique_ptr<Layer<T>> activation_;
  Linear<T> up_;
  Linear<T> down_;
};

extern template class FeedForward<float>;
extern template class FeedForward<double>;

}  // namespace ordinal
