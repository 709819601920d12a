// The interface of every layer. A layer is immutable: it holds its sizes and parameter handles. A Pass carries everything that
// changes, so all threads share one model. linear.h is the shortest example, conv.cpp mixes tokens, and gradient_check.h checks
// the gradient of your own layer. layer_registry.h says how a config selects a layer by name.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string_view>

#include "framework/core/pass.h"

namespace ordinal {

/// Whether row t of y depends on the other rows of its sequence, and how the model then decodes.
enum class Mixing {
  none,      // it does not
  cached,    // it does, and the run's DecodeCache holds the state that later tokens need
  uncached,  // it does, but there is no such state: to decode, the model rereads the whole text for each new
             // token
};

/// A differentiable map from (tokens, input_width) to (tokens, output_width). Row b·seq_len + t is token t
/// of sequence b.
template <typename T>
class Layer {
 public:
  Layer() = default;
  Layer(const Layer&) = delete;
  Layer& operator=(const Layer&) = delete;
  virtual ~Layer() = default;

  virtual Index input_width() const = 0;
  /// By default, as wide as the input.
  virtual Index output_width() const { return input_width(); }

  /// A layer whose rows depend on each other must override this. A `cached` layer declares its state with
  /// Scope::add_state when it is built. If pass.run().cache is set, forward starts from that state and
  /// stores the new one there, so that runs over parts of a text give the same rows as one run over all
  /// of it.
  virtual Mixing mixing() const { return Mixing::none; }

  /// y = f(x). Saves in `pass` what backward needs. May return x itself if f is the identity. Framework
  /// layers throw std::invalid_argument if the width of x is not input_width().
  virtual View<const T> forward(View<const T> x, Pass<T>& pass) const = 0;

  /// Returns dx = (∂f/∂x)ᵀ dy and adds (∂f/∂θ)ᵀ dy to the gradient of each parameter θ. Restores what forward
  /// saved, in exactly the reverse order. Does not change x or dy. May return dy itself if f is the identity.
  virtual View<const T> backward(View<const T> dy, Pass<T>& pass) const = 0;

 protected:
  /// Call this at the start of forward. Otherwise an x of the wrong width would be multiplied by the memory
  /// next to the parameters.
  void check_width(std::string_view layer, View<const T> x) const {
    if (x.cols == input_width()) return;
    throw std::invalid_argument(
        fmt::format("{}: got rows of {} numbers, expected {} (its input_width; build it for the width of "
                    "what it is given)",
                    layer, x.cols, input_width()));
  }
};

}  // namespace ordinal
