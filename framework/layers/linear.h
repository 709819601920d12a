// Linear: y = x Wᵀ + b, the layer that does nearly all of a transformer's arithmetic.
#pragma once

#include "framework/layers/layer.h"
#include "framework/math/blas.h"
#include "framework/math/vector_math.h"

namespace ordinal {

/// y = x Wᵀ + b with weight W (out, in) and bias b (out). W starts as model.init says, or as N(0, sd²); b at zero.
template <typename T>
class Linear final : public Layer<T> {
 public:
  /// inner: within a branch; last: at its end, where the output is added to x; output: behind all branches, for logits. Initial
  /// weights depend on it.
  enum class Role { inner, last, output };

  struct Options {
    Index in = 0;
    Index out = 0;
    bool bias = true;
    Role role = Role::inner;
    std::vector<Index> stacked = {};  // rows of each of the matrices that W stacks; none: it is one
    double sd = 0.0;                  // of the initial weights; 0: as model.init says
  };

  Linear(const Options& options, const Scope& scope) : weight_(declared(options, scope)) {
    if (options.bias) bias_ = scope.add("bias", {options.out}, zeros());
  }

  /// logits = x Eᵀ with the table of an Embedding: a tied output layer (Press & Wolf 2017).
  explicit Linear(const Slot& table) : weight_(table) {}

  Index input_width() const override { return weight_.cols; }
  Index output_width() const override { return weight_.rows; }
  View<const T> forward(View<const T> x, Pass<T>& pass) const override {
    const View<T> y = pass.allocate(x.rows, output_width());
    forward_into(x, y, pass);
    return y;
  }
  View<const T> backward(View<const T> dy, Pass<T>& pass) const override {
    const View<T> dx = pass.allocate(dy.rows, input_width());
    backward_into(dy, dx, pass);
    return dx;
  }

  /// forward and backward into the caller's memory, for layers that modify y in place.
  void forward_into(View<const T> x, View<T> y, Pass<T>& pass) const {
    this->check_width("Linear", x);
    pass.save("Linear", x);
    if (bias_.cols == 0) return multiply<T>(x, transposed(pass.value(weight_)), y);
    multiply_with_bias<T>(x, transposed(pass.value(weight_)), pass.value(bias_).data, y);
  }
  // y_r = W x_r + b for each row r, so with the loss ℓ
  //   ∂ℓ/∂W = Σ_r dy_r x_rᵀ = dyᵀ x        ∂ℓ/∂b = Σ_r dy_r        ∂ℓ/∂x_r = Wᵀ dy_r, that is dx = dy W.
  void backward_into(View<const T> dy, View<T> dx, Pass<T>& pass) const {
    const View<const T> x = pass.restore("Linear");
    multiply_add<T>(transposed(dy), x, pass.gradient(weight_));
    if (bias_.cols > 0) vmath::add_rows(dy, pass.gradient(bias_).data);
    multiply<T>(dy, pass.value(weight_), dx);
  }

 private:
  static Initializer initial(const Options& options, const Scope& scope) {
    if (options.sd > 0.0) return normal(options.sd);
    const InitialWeights& weights = scope.initial_weights();
    return options.role == Role::last ? weights.last(options.in) : weights.inner(options.in);
  }
  static Slot declared(const Options& options, const Scope& scope) {
    const Initializer start = initial(options, scope);
    if (options.role == Role::output) return scope.add_weight("weight", {options.out, options.in}, start);
    const bool is_one = options.stacked.empty();
    return scope.add_matrix("weight", is_one ? std::vector{options.out} : options.stacked, options.in, start);
  }

  Slot weight_;
  Slot bias_;  // empty without a bias
};

}  // namespace ordinal
