// The registry of layers: to add one, write its file and add its line to layers.inc.
#include "framework/layers/registry.h"

#include <fmt/format.h>

#include "framework/core/errors.h"

namespace ordinal {

#define ORDINAL_NORM(name) LayerEntry name##_layer();
#define ORDINAL_ACTIVATION(name) LayerEntry name##_layer();
#define ORDINAL_BRANCH(name) LayerEntry name##_layer();
#include "framework/layers/layers.inc"
#undef ORDINAL_NORM
#undef ORDINAL_ACTIVATION
#undef ORDINAL_BRANCH

namespace {

// Each kind by itself, because options of branches name activations.
Registry<LayerEntry>& norms() {
  static Registry<LayerEntry> all("norm", {
#define ORDINAL_NORM(name) name##_layer(),
#define ORDINAL_ACTIVATION(name)
#define ORDINAL_BRANCH(name)
#include "framework/layers/layers.inc"
#undef ORDINAL_NORM
#undef ORDINAL_ACTIVATION
#undef ORDINAL_BRANCH
                                          });
  return all;
}

Registry<LayerEntry>& activations() {
  static Registry<LayerEntry> all("activation", {
#define ORDINAL_NORM(name)
#define ORDINAL_ACTIVATION(name) name##_layer(),
#define ORDINAL_BRANCH(name)
#include "framework/layers/layers.inc"
#undef ORDINAL_NORM
#undef ORDINAL_ACTIVATION
#undef ORDINAL_BRANCH
                                                });
  return all;
}

Registry<LayerEntry>& branches() {
  static Registry<LayerEntry> all("block", {
#define ORDINAL_NORM(name)
#define ORDINAL_ACTIVATION(name)
#define ORDINAL_BRANCH(name) name##_layer(),
#include "framework/layers/layers.inc"
#undef ORDINAL_NORM
#undef ORDINAL_ACTIVATION
#undef ORDINAL_BRANCH
                                           });
  return all;
}

Registry<LayerEntry>& registry(LayerKind kind) {
  if (kind == LayerKind::norm) return norms();
  return kind == LayerKind::activation ? activations() : branches();
}

}  // namespace

const Registry<LayerEntry>& layers(LayerKind kind) { return registry(kind); }

void register_layer(LayerEntry entry) {
  const LayerKind kind = entry.kind;
  registry(kind).add(std::move(entry));
}

std::vector<Part> block_parts(const std::string& text) {
  std::vector<Part> parts;
  for (const std::string& piece : split_outside_brackets(text, ',')) {
    parts.push_back(parse_part(piece));
    layers(LayerKind::branch).find(parts.back().name);
  }
  return parts;
}

template <>
std::unique_ptr<Layer<float>> make_layer(LayerKind kind, const Part& part, const LayerContext<float>& context,
                                         const Scope& scope) {
  return layers(kind).find(part.name).build_float(part, context, scope);
}

template <>
std::unique_ptr<Layer<double>> make_layer(LayerKind kind, const Part& part,
                                          const LayerContext<double>& context, const Scope& scope) {
  return layers(kind).find(part.name).build_double(part, context, scope);
}

}  // namespace ordinal
