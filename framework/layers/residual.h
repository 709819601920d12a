// A residual connection around a branch, with its norm and dropout. A transformer block has one for each
// branch.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <stdexcept>
#include <utility>

#include "framework/layers/dropout.h"
#include "framework/math/vector_math.h"

namespace ordinal {

enum class NormPlacement { pre, post };

/// pre:  y = x + dropout(f(norm(x)))      Xiong et al. 2020
/// post: y = norm(x + dropout(f(x)))      Vaswani et al. 2017
template <typename T>
class Residual final : public Layer<T> {
 public:
  /// `norm` and `inner` must have one width for input and output. Throws std::invalid_argument otherwise.
  Residual(NormPlacement placement, std::unique_ptr<Layer<T>> norm, std::unique_ptr<Layer<T>> inner,
           double dropout, const Scope& scope)
      : placement_(placement),
        norm_(std::move(norm)),
        inner_(std::move(inner)),
        dropout_(dropout, inner_->output_width(), scope) {
    const Index width = inner_->input_width();
    if (inner_->output_width() == width && norm_->input_width() == width && norm_->output_width() == width)
      return;
    throw std::invalid_argument(fmt::format(
        "Residual {}: got a norm from width {} to {} and a branch from {} to {}, expected one width for all "
        "(its input is added to its output)",
        scope.prefix(), norm_->input_width(), norm_->output_width(), width, inner_->output_width()));
  }

  Index input_width() const override { return inner_->input_width(); }
  Mixing mixing() const override { return inner_->mixing(); }
  // y is allocated first, so everything after it can be released; without recording, immediately.
  View<const T> forward(View<const T> x, Pass<T>& pass) const override {
    this->check_width("Residual", x);
    const View<T> y = pass.allocate(x.rows, x.cols);
    const auto frame = pass.forward_frame();
    if (placement_ == NormPlacement::pre) {
      add(x, dropout_.forward(inner_->forward(norm_->forward(x, pass), pass), pass), y);
      return y;
    }
    const View<T> sum = pass.allocate(x.rows, x.cols);
    add(x, dropout_.forward(inner_->forward(x, pass), pass), sum);
    copy_rows(norm_->forward(sum, pass), y);
    return y;
  }
  // pre:  dx = dy + J_normᵀ J_fᵀ dy          post: ds = J_normᵀ dy,  dx = ds + J_fᵀ ds
  View<const T> backward(View<const T> dy, Pass<T>& pass) const override {
    const View<T> dx = pass.allocate(dy.rows, dy.cols);
    const auto frame = pass.scratch_frame();
    if (placement_ == NormPlacement::pre) {
      add(dy, norm_->backward(inner_->backward(dropout_.backward(dy, pass), pass), pass), dx);
      return dx;
    }
    const View<const T> d_sum = norm_->backward(dy, pass);
    add(d_sum, inner_->backward(dropout_.backward(d_sum, pass), pass), dx);
    return dx;
  }

 private:
  static void add(View<const T> a, View<const T> b, View<T> sum) {
    for (Index r = 0; r < sum.rows; ++r) vmath::add(a.row(r), b.row(r), sum.row(r), sum.cols);
  }

  NormPlacement placement_;
  std::unique_ptr<Layer<T>> norm_;
  std::unique_ptr<Layer<T>> inner_;
  Dropout<T> dropout_;
};

}  // namespace ordinal
