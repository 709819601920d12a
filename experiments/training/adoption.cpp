#include "experiments/training/adoption.h"

#include <fmt/format.h>

#include <algorithm>

#include "framework/core/errors.h"
#include "framework/core/options.h"
#include "framework/training/checkpoint.h"

namespace ordinal::experiments {
namespace {

bool is_positional(const std::string& name) { return name.starts_with("positional."); }

// Fills a parameter from a trained one of another shape. Returns false if it cannot be resized.
bool resize(const ParameterSpec& spec, const PositionalEncoding<float>& encoding, const Shape& shape,
            const std::vector<float>& trained, Parameters<float>& values) {
  return shape.size() == 2 && spec.shape.size() == 2 && shape[1] == spec.shape[1] &&
         encoding.resize(spec.slot, {trained.data(), shape[0], shape[1]}, values[spec.slot]);
}

}  // namespace

std::string adopt_parameters(const SafetensorsFile& file, const Transformer<float>& model,
                             Parameters<float>& values) {
  std::vector<std::string> resized;
  std::vector<std::string> fresh;
  std::vector<std::string> dropped;
  Parameters<float> adopted(model.layout());
  std::ranges::copy(values.flat(), adopted.flat().begin());
  for (const ParameterSpec& spec : model.layout().specs()) {
    const std::string& name = spec.name;
    if (is_positional(name) && !file.contains(name)) {
      fresh.push_back(name);
    } else if (is_positional(name) && file.shape(name) != spec.shape) {
      const std::string shape = to_string(file.shape(name));
      if (!resize(spec, model.encoding(), file.shape(name), file.values<float>(name), adopted)) {
        throw CheckpointError(
            fmt::format("checkpoint: tensor {} has shape {}, expected {}; it cannot be resized", name, shape,
                        to_string(spec.shape)));
      }
      resized.push_back(fmt::format("{} from {} to {}", name, shape, to_string(spec.shape)));
    } else {
      load_parameter(file, spec, adopted);
    }
  }
  for (const std::string& name : file.names())
    if (is_positional(name) && model.layout().find_if_there(name) == nullptr) dropped.push_back(name);
  std::ranges::copy(adopted.flat(), values.flat().begin());
  std::vector<std::string> parts;
  for (const auto& [what, names] :
       {std::pair{"resized ", &resized}, std::pair{"not in the checkpoint: ", &fresh},
        std::pair{"dropped ", &dropped}})
    if (!names->empty()) parts.push_back(what + joined(*names));
  return joined(parts, "; ");
}

void check_adoption(const Transformer<float>& trained, const Transformer<float>& model) {
  Parameters<float> values(model.layout());
  for (const ParameterSpec& spec : model.layout().specs()) {
    const ParameterSpec* before = trained.layout().find_if_there(spec.name);
    if (before == nullptr || before->shape == spec.shape) continue;
    const std::vector<float> zeros(static_cast<std::size_t>(before->size()));
    if (resize(spec, model.encoding(), before->shape, zeros, values)) continue;
    throw ConfigError(
        fmt::format("finetune.encoding: {} has shape {}, and {} in the first stage; it cannot be resized",
                    spec.name, to_string(spec.shape), to_string(before->shape)));
  }
}

}  // namespace ordinal::experiments
