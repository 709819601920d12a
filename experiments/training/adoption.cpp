#include "experiments/training/adoption.h"

#include <fmt/format.h>

#include "framework/core/errors.h"
#include "framework/core/options.h"
#include "framework/training/checkpoint.h"

namespace ordinal::experiments {
namespace {

bool is_positional(const std::string& name) { return name.starts_with("positional."); }

// Fills a parameter from a trained one of another shape, or throws ConfigError.
void resize(const ParameterSpec& spec, const PositionalEncoding<float>& encoding, const Shape& shape,
            const std::vector<float>& trained, Parameters<float>& values) {
  if (shape.size() == 2 && spec.shape.size() == 2 && shape[1] == spec.shape[1] &&
      encoding.resize(spec.slot, {trained.data(), shape[0], shape[1]}, values[spec.slot]))
    return;
  throw ConfigError(
      fmt::format("finetune.encoding: {} has shape {}, and {} in the first stage; it cannot be resized",
                  spec.name, ordinal::to_string(spec.shape), ordinal::to_string(shape)));
}

}  // namespace

std::string adopt_parameters(const SafetensorsFile& file, const Transformer<float>& model,
                             Parameters<float>& values) {
  std::vector<std::string> changes;
  for (const ParameterSpec& spec : model.layout().specs()) {
    const std::string& name = spec.name;
    if (is_positional(name) && !file.contains(name)) {
      changes.push_back("not in the checkpoint: " + name);
    } else if (is_positional(name) && file.shape(name) != spec.shape) {
      resize(spec, model.encoding(), file.shape(name), file.values<float>(name), values);
      changes.push_back(fmt::format("resized {} from {} to {}", name, ordinal::to_string(file.shape(name)),
                                    ordinal::to_string(spec.shape)));
    } else {
      load_parameter(file, spec, values);
    }
  }
  for (const std::string& name : file.names())
    if (is_positional(name) && model.layout().find_if_there(name) == nullptr)
      changes.push_back("dropped " + name);
  return joined(changes, "; ");
}

void check_adoption(const Transformer<float>& trained, const Transformer<float>& model) {
  Parameters<float> values(model.layout());
  for (const ParameterSpec& spec : model.layout().specs()) {
    const ParameterSpec* before = trained.layout().find_if_there(spec.name);
    if (before == nullptr || before->shape == spec.shape) continue;
    const std::vector<float> zeros(static_cast<std::size_t>(before->size()));
    resize(spec, model.encoding(), before->shape, zeros, values);
  }
}

}  // namespace ordinal::experiments
