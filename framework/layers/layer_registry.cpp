#include "framework/layers/layer_registry.h"

namespace ordinal {

#define ORDINAL_NORM(name) ORDINAL_LAYER(name)
#define ORDINAL_ACTIVATION(name) ORDINAL_LAYER(name)
#define ORDINAL_BRANCH(name) ORDINAL_LAYER(name)

#define ORDINAL_LAYER(name) LayerEntry name##_layer();
#include "framework/layers/layer.inc"
#undef ORDINAL_LAYER

namespace {

std::vector<LayerEntry> built_in(LayerKind kind) {
  std::vector<LayerEntry> entries = {
#define ORDINAL_LAYER(name) name##_layer(),
#include "framework/layers/layer.inc"
#undef ORDINAL_LAYER
  };
  std::erase_if(entries, [&](const LayerEntry& entry) { return entry.kind != kind; });
  return entries;
}

}  // namespace

Registry<LayerEntry>& layers(LayerKind kind) {
  static Registry<LayerEntry> norms("norm", built_in(LayerKind::norm));
  static Registry<LayerEntry> activations("activation", built_in(LayerKind::activation));
  static Registry<LayerEntry> branches("block", built_in(LayerKind::branch));
  if (kind == LayerKind::norm) return norms;
  return kind == LayerKind::activation ? activations : branches;
}

std::vector<Part> block_parts(const PartList& block) {
  std::vector<Part> parts = block.joined_by(',');
  for (const Part& part : parts) layers(LayerKind::branch).find(part.name);
  return parts;
}

}  // namespace ordinal
