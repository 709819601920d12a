// The two normalisations of transformers: LayerNorm and RMSNorm, each over the features of one token.
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

/// For each row x, with a scale γ that starts at one and a bias β that starts at zero:
///   centred      LayerNorm: y = γ ⊙ (x - mean(x)) / √(var(x) + ε) + β, var the biased variance; Ba, Kiros & Hinton 2016
///   not centred  RMSNorm:   y = γ ⊙ x / √(mean(x²) + ε); Zhang & Sennrich 2019
template <typename T, bool centred>
class Norm final : public Layer<T> {
 public:
  Norm(Index width, const NormOptions& options, const Scope& scope)
      : gain_(scope.add("weight", {width}, ones())), epsilon_(static_cast<T>(options.epsilon)) {
    if constexpr (centred) bias_ = scope.add("bias", {width}, zeros());
  }

  Index input_width() const override { return gain_.cols; }
  View<const T> forward(View<const T> x, Pass<T>& pass) const override {
    this->check_width(name, x);
    const T* gain = pass.value(gain_).data;
    const T* bias = centred ? pass.value(bias_).data : nullptr;
    const Index d = x.cols;
    const View<T> y = pass.allocate(x.rows, d);
    const View<T> moments = pass.allocate(x.rows, 2);  // mean, or 0, and 1/σ or 1/rms of each row
    for (Index r = 0; r < x.rows; ++r) {
      const T* x_r = x.row(r);
      T* y_r = y.row(r);
      const T mean = centred ? vmath::sum(x_r, d) / static_cast<T>(d) : T(0);
      const T squares = centred ? vmath::squares(x_r, mean, d) : vmath::dot(x_r, x_r, d);
      // Squares that overflow would make the row 0, and hide that it is too large.
      const T inverse = squares <= std::numeric_limits<T>::max()
                            ? T(1) / std::sqrt(squares / static_cast<T>(d) + epsilon_)
                            : std::numeric_limits<T>::quiet_NaN();
#pragma omp simd
      for (Index c = 0; c < d; ++c) {
        if constexpr (centred) y_r[c] = gain[c] * ((x_r[c] - mean) * inverse) + bias[c];
        if constexpr (!centred) y_r[c] = gain[c] * (x_r[c] * inverse);
      }
      moments(r, 0) = mean;
      moments(r, 1) = inverse;
    }
    pass.save(name, x);
    pass.save(name, moments);
    return y;
  }

  // With n = (x - mean)/σ and g = γ ⊙ dy, both rows of length d:
  //   dγ += dy ⊙ n        dβ += dy        dx = (g - mean(g) - n · mean(g ⊙ n)) / σ
  // since n moves neither along the ones vector (its mean is fixed) nor along itself (its variance is fixed). If x is not
  // centred, its mean may move: mean and mean(g) are omitted, and rms replaces σ.
  View<const T> backward(View<const T> dy, Pass<T>& pass) const override {
    const View<const T> moments = pass.restore(name);
    const View<const T> x = pass.restore(name);
    const T* gain = pass.value(gain_).data;
    T* d_gain = pass.gradient(gain_).data;
    T* d_bias = centred ? pass.gradient(bias_).data : nullptr;
    const Index d = dy.cols;
    const View<T> dx = pass.allocate(dy.rows, d);
    for (Index r = 0; r < dy.rows; ++r) {
      const T* x_r = x.row(r);
      const T* dy_r = dy.row(r);
      T* dx_r = dx.row(r);
      const T mean = moments(r, 0);
      const T inverse = moments(r, 1);
      const auto normal = [&](Index c) { return (centred ? x_r[c] - mean : x_r[c]) * inverse; };
      const auto add_terms = [&]<typename V>(Index c, V& sum_g, V& sum_gn) {  // of one column, or of several
        const V dy_c = load<V>(dy_r + c);
        const V n = (centred ? load<V>(x_r + c) - mean : load<V>(x_r + c)) * inverse;
        const V g = load<V>(gain + c) * dy_c;
        store(load<V>(d_gain + c) + dy_c * n, d_gain + c);
        if constexpr (centred) store(load<V>(d_bias + c) + dy_c, d_bias + c);
        sum_g = sum_g + g;
        sum_gn = sum_gn + g * n;
      };
      Lanes<T> sums_g;
      Lanes<T> sums_gn;
      Index c = 0;
      for (; c + Lanes<T>::count <= d; c += Lanes<T>::count) add_terms(c, sums_g, sums_gn);
      T sum_g = sums_g.sum();
      T sum_gn = sums_gn.sum();
      for (; c < d; ++c) add_terms(c, sum_g, sum_gn);
      const T mean_g = centred ? sum_g / static_cast<T>(d) : T(0);
      const T mean_gn = sum_gn / static_cast<T>(d);
#pragma omp simd
      for (Index i = 0; i < d; ++i) {
        const T g = centred ? gain[i] * dy_r[i] - mean_g : gain[i] * dy_r[i];
        dx_r[i] = (g - normal(i) * mean_gn) * inverse;
      }
    }
    return dx;
  }

 private:
  static constexpr const char* name = centred ? "LayerNorm" : "RmsNorm";

  Slot gain_;
  Slot bias_;  // if centred
  T epsilon_;
};

template <typename T>
using LayerNorm = Norm<T, true>;
template <typename T>
using RmsNorm = Norm<T, false>;

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
