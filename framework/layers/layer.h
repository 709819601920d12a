// The interface of every layer, and the registry of the layers that a config selects by name. A layer is
// immutable: it holds its sizes and parameter handles. A Pass carries everything that changes, so all threads
// share one model. linear.cpp is the shortest example, conv.cpp mixes tokens, and gradient_check.h checks the
// gradient of your own layer. To add a layer, write one file and add one line to layers/layer.inc. It then
// appears in configs, help texts and the automatic checks.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "framework/core/part.h"
#include "framework/core/pass.h"
#include "framework/core/registry.h"
#include "framework/positional/positional_encoding.h"

namespace ordinal {

/// Whether row t of y depends on the other rows of its sequence, and how the model then decodes.
enum class Mixing {
  none,      // it does not
  cached,    // it does, and the run's DecodeCache holds the state that later tokens need
  uncached,  // it does, but there is no such state: to decode, the model rereads the whole text for each new
             // token
};

/// The cost of a layer for one token of a sequence: floating-point operations of the products in forward
/// (2mkn for (m, k) times (k, n)), and numbers in memory.
struct Cost {
  double flops = 0.0;
  double activations = 0.0;  // that forward allocates in a recorded run
  double backward = 0.0;     // the most that backward then holds besides them
  double unrecorded =
      0.0;  // how many more than `activations` forward holds at most in a run that is not recorded
};
constexpr Cost operator+(Cost a, Cost b) {
  return {a.flops + b.flops, a.activations + b.activations, a.backward + b.backward,
          a.unrecorded + b.unrecorded};
}

/// Throws std::invalid_argument: the input rows of `layer` have `got` numbers, not `expected`.
[[noreturn]] void refuse_width(std::string_view layer, Index got, Index expected);

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
  virtual Index output_width() const = 0;

  /// A layer whose rows depend on each other must override this. A `cached` layer declares its state with
  /// Scope::add_state when it is built. If pass.run().cache is set, forward starts from that state and
  /// stores the new one there, so that runs over parts of a text give the same rows as one run over all
  /// of it.
  virtual Mixing mixing() const { return Mixing::none; }

  /// By default, that of a layer that allocates its output and the gradient of its input.
  virtual Cost cost(Index /*seq_len*/) const {
    return {.activations = static_cast<double>(output_width()),
            .backward = static_cast<double>(input_width())};
  }

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
    if (x.cols != input_width()) refuse_width(layer, x.cols, input_width());
  }
};

/// Norms (model.norm), activations, and branches (model.block).
enum class LayerKind {
  norm,        // (tokens, width) -> (tokens, width)
  activation,  // (tokens, width or, if gated, 2·width) -> (tokens, width)
  branch,      // (tokens, d_model) -> (tokens, d_model): a residual branch of a block, with its norm
};

/// The model around a layer. Norms and activations need only the width of their output.
template <typename T>
struct LayerContext {
  Index width = 0;
  ModelShape shape = {};
  Index layer = 0;             // index among the branches of the model that use the encoding
  bool bias = true;            // whether linear layers have one
  double output_scale = 0.02;  // initial standard deviation of a branch's last weights
  const PositionalEncoding<T>* encoding = nullptr;  // must outlive the layer
};

template <typename T>
using LayerMaker = std::unique_ptr<Layer<T>> (*)(const Part&, const LayerContext<T>&, const Scope&);

/// One entry of the registry.
struct LayerEntry {
  std::string name;
  LayerKind kind = LayerKind::activation;
  std::string summary;  // one line: the formula and its source
  std::string definition =
      {};  // for a branch: everything needed to reimplement it; lines of up to 110 characters
  bool uses_encoding = false;  // a branch with queries, keys and scores
  bool only_rotates = false;   // a branch without scores, whose queries and keys an encoding may rotate

  // Filled in by describe_layer().
  std::vector<OptionSpec> (*options)() = nullptr;  // evaluated lazily: they may name layers registered later
  std::vector<OptionSpec> (*resolve)(const Part&, const ModelShape&) = nullptr;
  ForBoth<LayerMaker> build = {};
};

/// Builds a SomeLayer with the first of these constructors that it has: (context, options, scope), (width,
/// options, scope) or (width, scope).
template <typename T, template <typename> class SomeLayer, typename Options>
std::unique_ptr<Layer<T>> build_layer(const Part& part, const LayerContext<T>& context, const Scope& scope) {
  const auto options = resolved_options<Options>(part.name, part.options, context.shape);
  if constexpr (std::is_constructible_v<SomeLayer<T>, const LayerContext<T>&, const Options&, const Scope&>) {
    return std::make_unique<SomeLayer<T>>(context, options, scope);
  } else if constexpr (std::is_constructible_v<SomeLayer<T>, Index, const Options&, const Scope&>) {
    return std::make_unique<SomeLayer<T>>(context.width, options, scope);
  } else {
    return std::make_unique<SomeLayer<T>>(context.width, scope);
  }
}

/// Adds the options and builders to the entry of a class template SomeLayer<T>.
template <template <typename> class SomeLayer, typename Options = NoOptions>
LayerEntry describe_layer(LayerEntry entry) {
  entry.options = [] { return specs_of<Options>(); };
  entry.resolve = resolved_specs<Options>;
  entry.build = {build_layer<float, SomeLayer, Options>, build_layer<double, SomeLayer, Options>};
  return entry;
}

/// All registered layers of a kind, in the order of layer.inc.
const Registry<LayerEntry>& layers(LayerKind kind);

/// Adds your own layer. Call it before the first use of a config. Throws std::invalid_argument if the name
/// is taken.
void register_layer(LayerEntry entry);

/// Parses the parts of a block such as "conv(kernel=3), attention, feed_forward". Throws ConfigError for an
/// unknown part, or if there are none.
std::vector<Part> block_parts(const std::string& text);

/// Builds a layer from a part such as "layernorm" or "conv(kernel=3)". Throws ConfigError.
template <typename T>
std::unique_ptr<Layer<T>> make_layer(LayerKind kind, const Part& part, const LayerContext<T>& context,
                                     const Scope& scope) {
  return layers(kind).find(part.name).build.template of<T>()(part, context, scope);
}
template <typename T>
std::unique_ptr<Layer<T>> make_layer(LayerKind kind, const std::string& text, const LayerContext<T>& context,
                                     const Scope& scope) {
  return make_layer<T>(kind, parse_part(text), context, scope);
}

}  // namespace ordinal
