// The contract of every layer. A layer is immutable: it holds its sizes and the handles of its parameters,
// and a Pass carries everything that changes, so all threads share one model. See linear.cpp for the shortest
// example, conv.cpp for one that uses other tokens, and gradient_check.h to check the gradient of your own
// layer.
#pragma once

#include <string_view>

#include "framework/core/pass.h"

namespace ordinal {

/// How row t of y depends on the other rows of its sequence.
enum class Mixing {
  none,      // not at all
  cached,    // it does, and the DecodeCache of the run holds the state that later tokens need
  uncached,  // it does, and there is no such state: a model that decodes reads the whole text for each new
             // token
};

/// The cost of a layer for one token of a sequence: floating-point operations of the products in forward
/// (2mkn for (m, k) times (k, n)), and numbers that it allocates in a recorded run.
struct Cost {
  double flops = 0.0;
  double activations = 0.0;
};
constexpr Cost operator+(Cost a, Cost b) { return {a.flops + b.flops, a.activations + b.activations}; }

/// Throws the std::invalid_argument of a layer whose input rows have `got` numbers.
[[noreturn]] void refuse_width(std::string_view layer, Index got, Index expected);

/// A differentiable map from (tokens, input_width) to (tokens, output_width), row b·seq_len + t for token t
/// of sequence b.
template <typename T>
class Layer {
 public:
  Layer() = default;
  Layer(const Layer&) = delete;
  Layer& operator=(const Layer&) = delete;
  virtual ~Layer() = default;

  virtual Index input_width() const = 0;
  virtual Index output_width() const = 0;

  /// A layer whose rows depend on each other must declare it. If `cached`, it declares its state with
  /// Scope::add_state when it is built; where pass.run().cache is set, forward starts from that state and
  /// leaves the new one there, so that runs over parts of a text give the rows that one run over all of it
  /// gives.
  virtual Mixing mixing() const { return Mixing::none; }

  virtual Cost cost(Index /*seq_len*/) const { return {}; }

  /// y = f(x). Saves in `pass` what backward needs. May return x itself where f is the identity. Framework
  /// layers throw std::invalid_argument if the width of x is not input_width().
  virtual View<const T> forward(View<const T> x, Pass<T>& pass) const = 0;

  /// dx = (∂f/∂x)ᵀ dy, and for each parameter θ adds (∂f/∂θ)ᵀ dy to its gradient. Restores what forward saved
  /// in exactly the reverse order. x and dy are not changed; may return dy itself where f is the identity.
  virtual View<const T> backward(View<const T> dy, Pass<T>& pass) const = 0;

 protected:
  /// Called at the start of forward: without it, an x of another width would be multiplied by memory next to
  /// the parameters.
  void check_width(std::string_view layer, View<const T> x) const {
    if (x.cols != input_width()) refuse_width(layer, x.cols, input_width());
  }
};

}  // namespace ordinal
