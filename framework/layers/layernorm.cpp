// LayerNorm over the features of one token: Ba, Kiros & Hinton 2016.
#include "framework/layers/layer_registry.h"
#include "framework/layers/norm.h"
#include "framework/math/vector_math.h"

namespace ordinal {
namespace {

/// For each row x of d numbers, with a scale γ that starts at one and a shift β that starts at zero:
///   y = γ ⊙ n + β,   n = (x - mean(x))/σ,   σ = √(mean((x - mean(x))²) + ε)
template <typename T>
class LayerNorm final : public Layer<T> {
 public:
  LayerNorm(Index width, const NormOptions& options, const Scope& scope)
      : gain_(scope.add("weight", {width}, ones())),
        bias_(scope.add("bias", {width}, zeros())),
        epsilon_(static_cast<T>(options.epsilon)) {}

  Index input_width() const override { return gain_.cols; }

  View<const T> forward(View<const T> x, Pass<T>& pass) const override {
    this->check_width("LayerNorm", x);
    const T* gain = pass.value(gain_).data;
    const T* bias = pass.value(bias_).data;
    const Index d = x.cols;
    const View<T> y = pass.allocate(x.rows, d);
    const View<T> moments = pass.allocate(x.rows, 2);  // mean(x) and 1/σ of each row
    for (Index r = 0; r < x.rows; ++r) {
      const T* x_r = x.row(r);
      T* y_r = y.row(r);
      const T mean = vmath::sum(x_r, d) / static_cast<T>(d);
      const T inverse = inverse_root(vmath::squares(x_r, mean, d), d, epsilon_);  // 1/σ
#pragma omp simd
      for (Index c = 0; c < d; ++c) y_r[c] = gain[c] * ((x_r[c] - mean) * inverse) + bias[c];
      moments(r, 0) = mean;
      moments(r, 1) = inverse;
    }
    pass.save("LayerNorm", x);
    pass.save("LayerNorm", moments);
    return y;
  }

  // y = γ ⊙ n + β, so with g = ∂ℓ/∂n = γ ⊙ dy:
  //   dγ += dy ⊙ n
  //   dβ += dy
  //   dx  = (g                  n_c grows with its own x_c,
  //          - mean(g)          all n fall with mean(x),
  //          - n · mean(g ⊙ n)  and shrink with σ: ∂σ/∂x = n/d
  //         ) / σ
  View<const T> backward(View<const T> dy, Pass<T>& pass) const override {
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
      const T inverse = moments(r, 1);
      const auto [sum_g, sum_gn] = row_sums<T, 2>(d, [&]<typename V>(Index c, std::array<V, 2>& sums) {
        const V dy_c = load<V>(dy_r + c);
        const V n = (load<V>(x_r + c) - mean) * inverse;
        const V g = load<V>(gain + c) * dy_c;
        store(load<V>(d_gain + c) + dy_c * n, d_gain + c);
        store(load<V>(d_bias + c) + dy_c, d_bias + c);
        sums[0] = sums[0] + g;
        sums[1] = sums[1] + g * n;
      });
      const T mean_g = sum_g / static_cast<T>(d);
      const T mean_gn = sum_gn / static_cast<T>(d);
#pragma omp simd
      for (Index c = 0; c < d; ++c) {
        const T n = (x_r[c] - mean) * inverse;
        const T g = gain[c] * dy_r[c];
        dx_r[c] = (g - mean_g - n * mean_gn) * inverse;
      }
    }
    return dx;
  }

 private:
  Slot gain_;  // γ
  Slot bias_;  // β
  T epsilon_;
};

}  // namespace

LayerEntry layernorm_layer() {
  return describe_layer<LayerNorm, NormOptions>(
      {.name = "layernorm",
       .kind = LayerKind::norm,
       .summary = "γ (x - mean)/√(var + ε) + β; Ba, Kiros & Hinton 2016"});
}

}  // namespace ordinal
