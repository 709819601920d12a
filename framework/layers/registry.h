// The layers that a config chooses by name: norms (model.norm) and activations (model.activation). A layer of
// your own takes one file and one line in layers/layers.inc; it then appears in configs, in help texts and in
// the automatic gradient check.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "framework/layers/layer.h"

namespace ordinal {

enum class LayerKind {
  norm,        // (tokens, width) -> (tokens, width)
  activation,  // (tokens, width or, if gated, 2·width) -> (tokens, width)
};

/// One line of the registry. A builder gets the width of the output and the place for parameters.
struct LayerEntry {
  std::string name;
  LayerKind kind = LayerKind::activation;
  std::string summary;  // one line: the formula and its source
  std::unique_ptr<Layer<float>> (*build_float)(Index width, const Scope& scope) = nullptr;
  std::unique_ptr<Layer<double>> (*build_double)(Index width, const Scope& scope) = nullptr;
};

/// The entry's two builders for a class template with a constructor (width, scope).
template <template <typename> class SomeLayer>
LayerEntry describe_layer(std::string name, LayerKind kind, std::string summary) {
  LayerEntry entry{std::move(name), kind, std::move(summary)};
  entry.build_float = [](Index width, const Scope& scope) {
    return std::unique_ptr<Layer<float>>(std::make_unique<SomeLayer<float>>(width, scope));
  };
  entry.build_double = [](Index width, const Scope& scope) {
    return std::unique_ptr<Layer<double>>(std::make_unique<SomeLayer<double>>(width, scope));
  };
  return entry;
}

/// All registered layers, in the order of layers.inc.
const std::vector<LayerEntry>& layer_registry();

/// Builds the layer of that name. Throws ConfigError if it is unknown or of another kind, listing the known
/// ones.
template <typename T>
std::unique_ptr<Layer<T>> make_layer(LayerKind kind, const std::string& name, Index width,
                                     const Scope& scope);

}  // namespace ordinal
