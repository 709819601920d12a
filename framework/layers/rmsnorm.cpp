// RMSNorm over the features of one token: Zhang & Sennrich 2019.
#include "framework/layers/layer_registry.h"
#include "framework/layers/norm.h"
#include "framework/math/vector_math.h"

namespace ordinal {
namespace {

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

LayerEntry rmsnorm_layer() {
  return describe_layer<RmsNorm, NormOptions>(
      {.name = "rmsnorm", .kind = LayerKind::norm, .summary = "γ x/√(mean(x²) + ε); Zhang & Sennrich 2019"});
}

}  // namespace ordinal
