// The registry of the layers that a config selects by name. To add a layer, write one file and add one line to
// layers/layer.inc. It then appears in configs, help texts and the automatic checks.
#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "framework/core/model_shape.h"
#include "framework/core/options.h"
#include "framework/core/part.h"
#include "framework/core/registry.h"
#include "framework/layers/layer.h"

namespace ordinal {

template <typename T>
class PositionalEncoding;

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
  Index layer = 0;   // index among the branches of the model that use the encoding
  bool bias = true;  // whether linear layers have one
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
Registry<LayerEntry>& layers(LayerKind kind);

/// The branches of a block such as "conv(kernel=3), attention, feed_forward". Throws ConfigError for an unknown one.
std::vector<Part> block_parts(const PartList& block);

/// Builds a layer from a part such as "layernorm" or "conv(kernel=3)". Throws ConfigError.
template <typename T>
std::unique_ptr<Layer<T>> make_layer(LayerKind kind, const Part& part, const LayerContext<T>& context,
                                     const Scope& scope) {
  return std::get<LayerMaker<T>>(layers(kind).find(part.name).build)(part, context, scope);
}
template <typename T>
std::unique_ptr<Layer<T>> make_layer(LayerKind kind, const std::string& text, const LayerContext<T>& context,
                                     const Scope& scope) {
  return make_layer<T>(kind, parse_part(text), context, scope);
}

}  // namespace ordinal
