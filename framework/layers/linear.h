// Linear: y = x Wᵀ + b, the layer that does nearly all of a transformer's arithmetic.
#pragma once

#include "framework/layers/layer.h"

namespace ordinal {

/// y = x Wᵀ + b with weight W (out, in) and bias b (out). W starts as N(0, weight_scale²), b at zero.
template <typename T>
class Linear final : public Layer<T> {
 public:
  struct Options {
    Index in = 0;
    Index out = 0;
    bool bias = true;
    double weight_scale = 0.02;
  };

  Linear(const Options& options, const Scope& scope);

  Index input_width() const override { return weight_.cols; }
  Index output_width() const override { return weight_.rows; }
  Cost cost(Index /*seq_len*/) const override {
    return {2.0 * static_cast<double>(weight_.rows * weight_.cols), static_cast<double>(weight_.rows),
            static_cast<double>(weight_.cols)};
  }
  View<const T> forward(View<const T> x, Pass<T>& pass) const override;
  View<const T> backward(View<const T> dy, Pass<T>& pass) const override;

  /// forward and backward into the caller's memory, for layers that modify y in place.
  void forward_into(View<const T> x, View<T> y, Pass<T>& pass) const;
  void backward_into(View<const T> dy, View<T> dx, Pass<T>& pass) const;

 private:
  Slot weight_;
  Slot bias_;
  bool has_bias_;
};

}  // namespace ordinal
