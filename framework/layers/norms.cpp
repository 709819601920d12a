// The two normalisations of transformers, each over the features of one token: LayerNorm (Ba, Kiros & Hinton 2016), then RMSNorm
// (Zhang & Sennrich 2019).
#include <array>
#include <cmath>
#include <limits>

#include "framework/layers/layer_registry.h"
#include "framework/math/lanes.h"
#include "framework/math/vector_math.h"

namespace ordinal {
namespace {

struct NormOptions {
  double epsilon = 1e-5;
  void visit(OptionVisitor& v) {
    constexpr double least = 1e-30;  // in float, neither it nor 1/√ε is 0 or infinite
    v.number("epsilon", epsilon, at_least(least),
             "ε, added to the variance or the mean square, which may be 0; at least 1e-30", Binds::training);
  }
};

// 1/√(squares/d + ε) of a row of d numbers; NaN if the squares overflow: the row would become 0, and hide that it is too large.
template <typename T>
T inverse_root(T squares, Index d, T epsilon) {
  return squares <= std::numeric_limits<T>::max() ? T(1) / std::sqrt(squares / static_cast<T>(d) + epsilon)
                                                  : std::numeric_limits<T>::quiet_NaN();
}

// Sums over a row of d columns. `add(c, sums)` adds the terms of column c, or of as many columns from c on as a vector holds:
// each sum is a T or a Lanes<T>.
template <typename T, std::size_t count>
std::array<T, count> row_sums(Index d, const auto& add) {
  std::array<Lanes<T>, count> lanes;
  Index c = 0;
  for (; c + Lanes<T>::count <= d; c += Lanes<T>::count) add(c, lanes);
  std::array<T, count> sums;
  for (std::size_t i = 0; i < count; ++i) sums[i] = lanes[i].sum();
  for (; c < d; ++c) add(c, sums);
  return sums;
}

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

/// For each row x of d numbers, with a scale γ that starts at one:
///   y = γ ⊙ n,   n = x/ρ,   ρ = √(mean(x²) + ε)
template <typename T>
class RmsNorm final : public Layer<T> {
 public:
  RmsNorm(Index width, const NormOptions& options, const Scope& scope)
      : gain_(scope.add("weight", {width}, ones())), epsilon_(static_cast<T>(options.epsilon)) {}

  Index input_width() const override { return gain_.cols; }

  View<const T> forward(View<const T> x, Pass<T>& pass) const override {
    this->check_width("RmsNorm", x);
    const T* gain = pass.value(gain_).data;
    const Index d = x.cols;
    const View<T> y = pass.allocate(x.rows, d);
    const View<T> inverses = pass.allocate(x.rows, 1);  // 1/ρ of each row
    for (Index r = 0; r < x.rows; ++r) {
      const T* x_r = x.row(r);
      T* y_r = y.row(r);
      const T inverse = inverse_root(vmath::dot(x_r, x_r, d), d, epsilon_);  // 1/ρ
#pragma omp simd
      for (Index c = 0; c < d; ++c) y_r[c] = gain[c] * (x_r[c] * inverse);
      inverses(r, 0) = inverse;
    }
    pass.save("RmsNorm", x);
    pass.save("RmsNorm", inverses);
    return y;
  }

  // y = γ ⊙ n, so with g = ∂ℓ/∂n = γ ⊙ dy:
  //   dγ += dy ⊙ n
  //   dx  = (g                  n_c grows with its own x_c,
  //          - n · mean(g ⊙ n)  and all n shrink with ρ: ∂ρ/∂x = n/d
  //         ) / ρ
  View<const T> backward(View<const T> dy, Pass<T>& pass) const override {
    const View<const T> inverses = pass.restore("RmsNorm");
    const View<const T> x = pass.restore("RmsNorm");
    const T* gain = pass.value(gain_).data;
    T* d_gain = pass.gradient(gain_).data;
    const Index d = dy.cols;
    const View<T> dx = pass.allocate(dy.rows, d);
    for (Index r = 0; r < dy.rows; ++r) {
      const T* x_r = x.row(r);
      const T* dy_r = dy.row(r);
      T* dx_r = dx.row(r);
      const T inverse = inverses(r, 0);
      const auto [sum_gn] = row_sums<T, 1>(d, [&]<typename V>(Index c, std::array<V, 1>& sums) {
        const V dy_c = load<V>(dy_r + c);
        const V n = load<V>(x_r + c) * inverse;
        const V g = load<V>(gain + c) * dy_c;
        store(load<V>(d_gain + c) + dy_c * n, d_gain + c);
        sums[0] = sums[0] + g * n;
      });
      const T mean_gn = sum_gn / static_cast<T>(d);
#pragma omp simd
      for (Index c = 0; c < d; ++c) {
        const T n = x_r[c] * inverse;
        const T g = gain[c] * dy_r[c];
        dx_r[c] = (g - n * mean_gn) * inverse;
      }
    }
    return dx;
  }

 private:
  Slot gain_;  // γ
  T epsilon_;
};

}  // namespace

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
