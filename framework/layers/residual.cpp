#include "framework/layers/residual.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "framework/math/vector_math.h"

namespace ordinal {
namespace {

template <typename T>
void add(View<const T> a, View<const T> b, View<T> sum) {
  for (Index r = 0; r < sum.rows; ++r) vmath::add(a.row(r), b.row(r), sum.row(r), sum.cols);
}

template <typename T>
void check_widths(const Scope& scope, const Layer<T>& norm, const Layer<T>& inner) {
  const Index width = inner.input_width();
  if (inner.output_width() == width && norm.input_width() == width && norm.output_width() == width) return;
  throw std::invalid_argument(fmt::format(
      "Residual {}: got a norm from width {} to {} and a branch from {} to {}, expected one width for all "
      "(its input is added to its output)",
      scope.prefix(), norm.input_width(), norm.output_width(), width, inner.output_width()));
}

}  // namespace

template <typename T>
Residual<T>::Residual(NormPlacement placement, std::unique_ptr<Layer<T>> norm,
                      std::unique_ptr<Layer<T>> inner, double dropout, const Scope& scope)
    : placement_(placement),
      norm_(std::move(norm)),
      inner_(std::move(inner)),
      dropout_(dropout, inner_->output_width(), scope) {
  check_widths(scope, *norm_, *inner_);
}

// y is allocated first, so everything after it can be released; without recording, immediately.
template <typename T>
View<const T> Residual<T>::forward(View<const T> x, Pass<T>& pass) const {
  this->check_width("Residual", x);
  const View<T> y = pass.allocate(x.rows, x.cols);
  const auto frame = pass.forward_frame();
  if (placement_ == NormPlacement::pre) {
    add<T>(x, dropout_.forward(inner_->forward(norm_->forward(x, pass), pass), pass), y);
    return y;
  }
  const View<T> sum = pass.allocate(x.rows, x.cols);
  add<T>(x, dropout_.forward(inner_->forward(x, pass), pass), sum);
  copy_rows(norm_->forward(sum, pass), y);
  return y;
}

// pre:  dx = dy + J_normᵀ J_fᵀ dy          post: ds = J_normᵀ dy,  dx = ds + J_fᵀ ds
template <typename T>
View<const T> Residual<T>::backward(View<const T> dy, Pass<T>& pass) const {
  const View<T> dx = pass.allocate(dy.rows, dy.cols);
  const auto frame = pass.scratch_frame();
  if (placement_ == NormPlacement::pre) {
    add<T>(dy, norm_->backward(inner_->backward(dropout_.backward(dy, pass), pass), pass), dx);
    return dx;
  }
  const View<const T> d_sum = norm_->backward(dy, pass);
  add<T>(d_sum, inner_->backward(dropout_.backward(d_sum, pass), pass), dx);
  return dx;
}

ORDINAL_INSTANTIATE(Residual);

}  // namespace ordinal
