// The contract of every layer. A layer is immutable: it knows its sizes and where its parameters lie, and a
// Pass carries everything that changes, so all threads share one model. Look at linear.cpp for the shortest
// example, at conv.cpp for one that looks at other tokens, and at gradient_check.h to check the gradient of a
// layer of your own.
#pragma once

#include <string_view>

#include "framework/core/pass.h"

namespace ordinal {

/// How row t of y depends on the other rows of its sequence.
enum class Mixing {
  none,      // not at all
  cached,    // it does, and what later tokens need of earlier ones is a state in the DecodeCache of the run
  uncached,  // it does, and there is no such state: a model that decodes reads the whole text for each new
             // token
};

/// What a layer costs for one token of a sequence: floating-point operations of the products in forward (2mkn
/// for (m, k) times (k, n)), and numbers that it allocates in a recorded run.
struct Cost {
  double flops = 0.0;
  double activations = 0.0;
};
constexpr Cost operator+(Cost a, Cost b) { return {a.flops + b.flops, a.activations + b.activations}; }

/// Throws std::invalid_argument for rows of `got` numbers in the input of a layer, in its name.
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

  /// A layer whose rows depend on each other must say so. If `cached`, it declares its state with
  /// Scope::add_state when it is built; where pass.run().cache is set, forward starts from that state and
  /// leaves the new one there, so that runs over parts of a text give the rows that one run over all of it
  /// gives.
  virtual Mixing mixing() const { return Mixing::none; }

  virtual Cost cost(Index /*seq_len*/) const { return {}; }

  /// y = f(x). Saves in `pass` what backward needs. May return x itself where f is the identity. Those of
  /// the framework throw std::invalid_argument for an x of another width than input_width().
  virtual View<const T> forward(View<const T> x, Pass<T>& pass) const = 0;

  /// dx = (∂f/∂x)ᵀ dy, and for each parameter θ adds (∂f/∂θ)ᵀ dy to its gradient. Restores what forward saved
  /// in exactly the reverse order. x and dy are not changed; may return dy itself where f is the identity.
  virtual View<const T> backward(View<const T> dy, Pass<T>& pass) const = 0;

 protected:
  /// What a forward begins with: without it, x of another width is multiplied by what lies beside the parameters.
  void check_width(std::string_view layer, View<const T> x) const {
    if (x.cols != input_width()) refuse_width(layer, x.cols, input_width());
  }
};

}  // namespace ordinal
