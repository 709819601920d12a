// The layers that a config chooses by name: norms (model.norm), activations, and branches (model.block). Your
// own layer takes one file and one line in layers/layers.inc; it then appears in configs, in help texts and
// in the automatic checks.
#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "framework/core/part.h"
#include "framework/core/registry.h"
#include "framework/layers/layer.h"
#include "framework/positional/positional_encoding.h"

namespace ordinal {

enum class LayerKind {
  norm,        // (tokens, width) -> (tokens, width)
  activation,  // (tokens, width or, if gated, 2·width) -> (tokens, width)
  branch,      // (tokens, d_model) -> (tokens, d_model): what a block adds to its input, behind a norm
};

/// The model around a layer. Norms and activations need only the width of their output.
template <typename T>
struct LayerContext {
  Index width = 0;
  ModelShape shape = {};
  Index layer = 0;             // index over all branches of the model that use the encoding
  bool bias = true;            // of linear layers
  double output_scale = 0.02;  // standard deviation of a branch's last weights at the start
  const PositionalEncoding<T>* encoding = nullptr;  // outlives the layer
};

template <typename T>
using LayerMaker = std::unique_ptr<Layer<T>> (*)(const Part&, const LayerContext<T>&, const Scope&);

/// One entry of the registry.
struct LayerEntry {
  std::string name;
  LayerKind kind = LayerKind::activation;
  std::string summary;  // one line: the formula and its source
  std::string definition =
      {};  // of a branch: all that it takes to write it again; lines of up to 110 characters
  bool uses_encoding = false;  // a branch with queries, keys and scores
  bool only_rotates =
      false;  // a branch with queries and keys, which an encoding may rotate, and without scores

  // Filled in by describe_layer().
  std::vector<OptionSpec> (*options)() = nullptr;  // evaluated lazily: they may name layers registered later
  std::vector<OptionSpec> (*resolve)(const Part&, const ModelShape&) = nullptr;
  ForBoth<LayerMaker> build = {};
};

/// Builds a SomeLayer with the first of these constructors that it has: (context, options, scope), (width,
/// options, scope), (width, scope).
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

/// The entry with its options and builders, for a class template SomeLayer<T>.
template <template <typename> class SomeLayer, typename Options = NoOptions>
LayerEntry describe_layer(LayerEntry entry) {
  entry.options = [] { return specs_of<Options>(); };
  entry.resolve = resolved_specs<Options>;
  entry.build = {build_layer<float, SomeLayer, Options>, build_layer<double, SomeLayer, Options>};
  return entry;
}

/// All layers of a kind that can be named, in the order of layers.inc.
const Registry<LayerEntry>& layers(LayerKind kind);

/// Adds your own layer, before the first use of a config. Throws std::invalid_argument for a name that
/// is taken.
void register_layer(LayerEntry entry);

/// The parts of "conv(kernel=3), attention, feed_forward". Throws ConfigError for an unknown one, or for
/// none.
std::vector<Part> block_parts(const std::string& text);

/// Builds the layer that "layernorm" or "conv(kernel=3)" names. Throws ConfigError.
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
