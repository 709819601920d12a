// The registry of layers: to add one, write its file and add its line to layers.inc.
#include "framework/layers/registry.h"

#include <fmt/format.h>

#include <algorithm>

#include "framework/core/errors.h"

namespace ordinal {

#define ORDINAL_LAYER(name) LayerEntry name##_layer();
#include "framework/layers/layers.inc"
#undef ORDINAL_LAYER

const std::vector<LayerEntry>& layer_registry() {
  static const std::vector<LayerEntry> registry = {
#define ORDINAL_LAYER(name) name##_layer(),
#include "framework/layers/layers.inc"
#undef ORDINAL_LAYER
  };
  return registry;
}

namespace {

const LayerEntry& find_layer(LayerKind kind, const std::string& name) {
  const std::vector<LayerEntry>& registry = layer_registry();
  const auto matches = [&](const LayerEntry& entry) { return entry.kind == kind && entry.name == name; };
  const auto found = std::ranges::find_if(registry, matches);
  if (found != registry.end()) return *found;
  std::string known;
  for (const LayerEntry& entry : registry) {
    if (entry.kind == kind) known += (known.empty() ? "" : ", ") + entry.name;
  }
  throw ConfigError(fmt::format("{}: got '{}', expected one of {}",
                                kind == LayerKind::norm ? "model.norm" : "model.activation", name, known));
}

}  // namespace

template <>
std::unique_ptr<Layer<float>> make_layer(LayerKind kind, const std::string& name, Index width,
                                         const Scope& scope) {
  return find_layer(kind, name).build_float(width, scope);
}

template <>
std::unique_ptr<Layer<double>> make_layer(LayerKind kind, const std::string& name, Index width,
                                          const Scope& scope) {
  return find_layer(kind, name).build_double(width, scope);
}

}  // namespace ordinal
