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
template <typename T>
bool resized(const ParameterSpec& spec, const PositionalEncoding<T>& encoding, const Shape& shape,
             const std::vector<T>& trained, Parameters<T>& values) {
  return shape.size() == 2 && spec.shape.size() == 2 && shape[1] == spec.shape[1] &&
         encoding.resize(spec.slot, {trained.data(), shape[0], shape[1]}, values[spec.slot]);
}

template <typename T>
void resize(const SafetensorsFile& file, const ParameterSpec& spec, const PositionalEncoding<T>& encoding,
            Parameters<T>& values) {
  const Shape& shape = file.shape(spec.name);
  if (resized(spec, encoding, shape, file.values<T>(spec.name), values)) return;
  throw CheckpointError(fmt::format("checkpoint: tensor {} has shape {}, expected {}; it cannot be resized",
                                    spec.name, to_string(shape), to_string(spec.shape)));
}

}  // namespace

std::string Adoption::describe() const {
  std::vector<std::string> parts;
  if (!resized.empty()) parts.push_back("resized " + joined(resized));
  if (!fresh.empty()) parts.push_back("not in the checkpoint: " + joined(fresh));
  if (!dropped.empty()) parts.push_back("dropped " + joined(dropped));
  return joined(parts, "; ");
}

template <typename T>
Adoption adopt_parameters(const SafetensorsFile& file, const Transformer<T>& model, Parameters<T>& values) {
  Adoption adoption;
  Parameters<T> adopted(model.layout());
  std::ranges::copy(values.flat(), adopted.flat().begin());
  for (const ParameterSpec& spec : model.layout().specs()) {
    if (is_positional(spec.name) && !file.contains(spec.name)) {
      adoption.fresh.push_back(spec.name);
    } else if (is_positional(spec.name) && file.shape(spec.name) != spec.shape) {
      resize(file, spec, model.encoding(), adopted);
      adoption.resized.push_back(fmt::format("{} from {} to {}", spec.name, to_string(file.shape(spec.name)),
                                             to_string(spec.shape)));
    } else {
      load_parameter(file, spec, adopted);
    }
  }
  for (const std::string& name : file.names()) {
    if (is_positional(name) && model.layout().find_if_there(name) == nullptr)
      adoption.dropped.push_back(name);
  }
  std::ranges::copy(adopted.flat(), values.flat().begin());
  return adoption;
}

void check_adoption(const Transformer<float>& trained, const Transformer<float>& model) {
  Parameters<float> values(model.layout());
  for (const ParameterSpec& spec : model.layout().specs()) {
    const ParameterSpec* before = trained.layout().find_if_there(spec.name);
    if (before == nullptr || before->shape == spec.shape) continue;
    const std::vector<float> zeros(static_cast<std::size_t>(before->size()));
    if (resized(spec, model.encoding(), before->shape, zeros, values)) continue;
    throw ConfigError(
        fmt::format("finetune.encoding: {} has shape {}, and {} in the first stage; it cannot be resized",
                    spec.name, to_string(spec.shape), to_string(before->shape)));
  }
}

template Adoption adopt_parameters<float>(const SafetensorsFile&, const Transformer<float>&,
                                          Parameters<float>&);
template Adoption adopt_parameters<double>(const SafetensorsFile&, const Transformer<double>&,
                                           Parameters<double>&);

}  // namespace ordinal::experiments
