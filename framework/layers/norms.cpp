#include "framework/layers/norms.h"

#include <cmath>

#include "framework/core/vector_math.h"
#include "framework/layers/registry.h"

namespace ordinal {

template <typename T>
LayerNorm<T>::LayerNorm(Index width, const NormOptions& options, const Scope& scope)
    : gain_(scope.add("weight", {width}, ones())),
      bias_(scope.add("bias", {width}, zeros())),
      epsilon_(static_cast<T>(options.epsilon)) {}

template <typename T>
View<const T> LayerNorm<T>::forward(View<const T> x, Pass<T>& pass) const {
  this->check_width("LayerNorm", x);
  const auto timer = pass.timed(Work::norms);
  const T* gain = pass.value(gain_).data;
  const T* bias = pass.value(bias_).data;
  const Index d = x.cols;
  const View<T> y = pass.allocate(x.rows, d);
  const View<T> moments = pass.allocate(x.rows, 2);  // mean and 1/σ of each row
  for (Index r = 0; r < x.rows; ++r) {
    const T* x_r = x.row(r);
    T* y_r = y.row(r);
    const T mean = vmath::sum(x_r, d) / static_cast<T>(d);
    const T variance = vmath::squares(x_r, mean, d) / static_cast<T>(d);
    const T inverse_sigma = T(1) / std::sqrt(variance + epsilon_);
#pragma omp simd
    for (Index c = 0; c < d; ++c) y_r[c] = gain[c] * ((x_r[c] - mean) * inverse_sigma) + bias[c];
    moments(r, 0) = mean;
    moments(r, 1) = inverse_sigma;
  }
  pass.save("LayerNorm", x);
  pass.save("LayerNorm", moments);
  return y;
}

// With n = (x - mean)/σ and g = γ ⊙ dy, both rows of length d:
//   dγ += dy ⊙ n        dβ += dy        dx = (g - mean(g) - n · mean(g ⊙ n)) / σ
// since n moves neither along the ones vector (its mean is fixed) nor along itself (its variance is fixed).
template <typename T>
View<const T> LayerNorm<T>::backward(View<const T> dy, Pass<T>& pass) const {
  const auto timer = pass.timed(Work::norms);
  const View<const T> moments = pass.restore("LayerNorm");
  const View<const T> x = pass.restore("LayerNorm");
  const T* gain = pass.value(gain_).data;
  T* d_gain = pass.gradient(gain_).data;
  T* d_bias = pass.gradient(bias_).data;
  const Index d = dy.cols;
  const View<T> dx = pass.allocate(dy.rows, d);
  for (Index r = 0; r < dy.rows; ++r) {
    const T* x_r = x.row(r);
    const T* dy_r = dy.row(r);
    T* dx_r = dx.row(r);
    const T mean = moments(r, 0);
    const T inverse_sigma = moments(r, 1);
    T sum_g = T(0);
    T sum_gn = T(0);
#pragma omp simd reduction(+ : sum_g, sum_gn)
    for (Index c = 0; c < d; ++c) {
      const T n = (x_r[c] - mean) * inverse_sigma;
      const T g = gain[c] * dy_r[c];
      d_gain[c] += dy_r[c] * n;
      d_bias[c] += dy_r[c];
      sum_g += g;
      sum_gn += g * n;
    }
    const T mean_g = sum_g / static_cast<T>(d);
    const T mean_gn = sum_gn / static_cast<T>(d);
#pragma omp simd
    for (Index c = 0; c < d; ++c) {
      const T n = (x_r[c] - mean) * inverse_sigma;
      dx_r[c] = (gain[c] * dy_r[c] - mean_g - n * mean_gn) * inverse_sigma;
    }
  }
  return dx;
}

template <typename T>
RmsNorm<T>::RmsNorm(Index width, const NormOptions& options, const Scope& scope)
    : gain_(scope.add("weight", {width}, ones())), epsilon_(static_cast<T>(options.epsilon)) {}

template <typename T>
View<const T> RmsNorm<T>::forward(View<const T> x, Pass<T>& pass) const {
  this->check_width("RmsNorm", x);
  const auto timer = pass.timed(Work::norms);
  const T* gain = pass.value(gain_).data;
  const Index d = x.cols;
  const View<T> y = pass.allocate(x.rows, d);
  const View<T> inverse_rms = pass.allocate(x.rows, 1);
  for (Index r = 0; r < x.rows; ++r) {
    const T* x_r = x.row(r);
    T* y_r = y.row(r);
    const T inverse = T(1) / std::sqrt(vmath::dot(x_r, x_r, d) / static_cast<T>(d) + epsilon_);
#pragma omp simd
    for (Index c = 0; c < d; ++c) y_r[c] = gain[c] * (x_r[c] * inverse);
    inverse_rms(r, 0) = inverse;
  }
  pass.save("RmsNorm", x);
  pass.save("RmsNorm", inverse_rms);
  return y;
}

// With n = x / rms and g = γ ⊙ dy:   dγ += dy ⊙ n        dx = (g - n · mean(g ⊙ n)) / rms.
template <typename T>
View<const T> RmsNorm<T>::backward(View<const T> dy, Pass<T>& pass) const {
  const auto timer = pass.timed(Work::norms);
  const View<const T> inverse_rms = pass.restore("RmsNorm");
  const View<const T> x = pass.restore("RmsNorm");
  const T* gain = pass.value(gain_).data;
  T* d_gain = pass.gradient(gain_).data;
  const Index d = dy.cols;
  const View<T> dx = pass.allocate(dy.rows, d);
  for (Index r = 0; r < dy.rows; ++r) {
    const T* x_r = x.row(r);
    const T* dy_r = dy.row(r);
    T* dx_r = dx.row(r);
    const T inverse = inverse_rms(r, 0);
    T sum_gn = T(0);
#pragma omp simd reduction(+ : sum_gn)
    for (Index c = 0; c < d; ++c) {
      const T n = x_r[c] * inverse;
      d_gain[c] += dy_r[c] * n;
      sum_gn += gain[c] * dy_r[c] * n;
    }
    const T mean_gn = sum_gn / static_cast<T>(d);
#pragma omp simd
    for (Index c = 0; c < d; ++c) dx_r[c] = (gain[c] * dy_r[c] - x_r[c] * inverse * mean_gn) * inverse;
  }
  return dx;
}

ORDINAL_INSTANTIATE(LayerNorm);
ORDINAL_INSTANTIATE(RmsNorm);

LayerEntry layernorm_layer() {
  return describe_layer<LayerNorm, NormOptions>(
      {.name = "layernorm",
       .kind = LayerKind::norm,
       .summary = "γ (x - mean)/√(var + ε) + β; Ba, Kiros & Hinton 2016"});
}

LayerEntry rmsnorm_layer() {
  return describe_layer<RmsNorm, NormOptions>(
      {.name = "rmsnorm", .kind = LayerKind::norm, .summary = "γ x/√(mean(x²) + ε); Zhang & Sennrich 2019"});
}

}  // namespace ordinal
