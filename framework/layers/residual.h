// A residual connection around a branch, with its norm and dropout. A transformer block has one for each
// branch.
#pragma once

#include <memory>

#include "framework/layers/dropout.h"
#include "framework/layers/layer.h"

namespace ordinal {

enum class NormPlacement { pre, post };

/// pre:  y = x + dropout(f(norm(x)))      Xiong et al. 2020
/// post: y = norm(x + dropout(f(x)))      Vaswani et al. 2017
template <typename T>
class Residual final : public Layer<T> {
 public:
  /// `norm` and `inner` must have one width for input and output. Throws std::invalid_argument otherwise.
  Residual(NormPlacement placement, std::unique_ptr<Layer<T>> norm, std::unique_ptr<Layer<T>> inner,
           double dropout, const Scope& scope);

  Index input_width() const override { return inner_->input_width(); }
  Index output_width() const override { return inner_->output_width(); }
  Mixing mixing() const override { return inner_->mixing(); }
  Cost cost(Index seq_len) const override {
    const auto width = static_cast<double>(output_width());
    const Cost sum{0.0, placement_ == NormPlacement::pre ? width : 2.0 * width, width};
    return norm_->cost(seq_len) + inner_->cost(seq_len) + dropout_.cost(seq_len) + sum;
  }
  View<const T> forward(View<const T> x, Pass<T>& pass) const override;
  View<const T> backward(View<const T> dy, Pass<T>& pass) const override;

 private:
  NormPlacement placement_;
  std::unique_ptr<Layer<T>> norm_;
  std::unique_ptr<Layer<T>> inner_;
  Dropout<T> dropout_;
};

}  // namespace ordinal
