#include "framework/layers/linear.h"

#include "framework/math/blas.h"
#include "framework/math/vector_math.h"

namespace ordinal {

template <typename T>
Linear<T>::Linear(const Options& options, const Scope& scope)
    : weight_(scope.add_weight("weight", {options.out, options.in}, normal(options.weight_scale))),
      has_bias_(options.bias) {
  if (has_bias_) bias_ = scope.add("bias", {options.out}, zeros());
}

template <typename T>
View<const T> Linear<T>::forward(View<const T> x, Pass<T>& pass) const {
  const View<T> y = pass.allocate(x.rows, output_width());
  forward_into(x, y, pass);
  return y;
}

template <typename T>
void Linear<T>::forward_into(View<const T> x, View<T> y, Pass<T>& pass) const {
  this->check_width("Linear", x);
  pass.save("Linear", x);
  if (!has_bias_) return multiply<T>(x, transposed(pass.value(weight_)), y);
  multiply_with_bias<T>(x, transposed(pass.value(weight_)), pass.value(bias_).data, y);
}

template <typename T>
View<const T> Linear<T>::backward(View<const T> dy, Pass<T>& pass) const {
  const View<T> dx = pass.allocate(dy.rows, input_width());
  backward_into(dy, dx, pass);
  return dx;
}

// y_r = W x_r + b for each row r, so with the loss ℓ
//   ∂ℓ/∂W = Σ_r dy_r x_rᵀ = dyᵀ x        ∂ℓ/∂b = Σ_r dy_r        ∂ℓ/∂x_r = Wᵀ dy_r, that is dx = dy W.
template <typename T>
void Linear<T>::backward_into(View<const T> dy, View<T> dx, Pass<T>& pass) const {
  const View<const T> x = pass.restore("Linear");
  multiply_add<T>(transposed(dy), x, pass.gradient(weight_));
  if (has_bias_) vmath::add_rows(dy, pass.gradient(bias_).data);
  multiply<T>(dy, pass.value(weight_), dx);
}

ORDINAL_INSTANTIATE(Linear);

}  // namespace ordinal
