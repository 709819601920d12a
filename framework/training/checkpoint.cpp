#include "framework/training/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "framework/core/errors.h"
#include "framework/core/options.h"
#include "framework/core/text.h"

namespace ordinal {
namespace {

template <typename T>
std::span<const T> span_of(View<const T> view) {
  return {view.data, static_cast<std::size_t>(view.size())};
}

void check_tensor(const SafetensorsFile& file, const std::string& name, const Shape& expected) {
  if (!file.contains(name)) {
    throw CheckpointError(
        fmt::format("checkpoint: no tensor {} (expected shape {}); it belongs to a model of other settings",
                    name, to_string(expected)));
  }
  if (file.shape(name) != expected) {
    throw CheckpointError(fmt::format(
        "checkpoint: tensor {} has shape {}, expected {}; it belongs to a model of other settings", name,
        to_string(file.shape(name)), to_string(expected)));
  }
}

constexpr std::string_view of_optimizer = "optimizer.";

std::string state_prefix(const std::string& state) { return fmt::format("{}{}.", of_optimizer, state); }

// All of them, or a CheckpointError: nothing is half loaded.
template <typename T>
Parameters<T> read_parameters(const SafetensorsFile& file, const ParameterLayout& layout,
                              const std::string& prefix) {
  Parameters<T> loaded(layout);
  for (const ParameterSpec& spec : layout.specs()) load_parameter(file, spec, loaded, prefix);
  return loaded;
}

}  // namespace

template <typename T>
void add_parameters(SafetensorsWriter& writer, const Parameters<T>& parameters, const std::string& prefix) {
  for (const ParameterSpec& spec : parameters.layout().specs()) {
    writer.add(prefix + spec.name, spec.shape, span_of(parameters[spec.slot]));
  }
}

template <typename T>
void load_parameter(const SafetensorsFile& file, const ParameterSpec& spec, Parameters<T>& parameters,
                    const std::string& prefix) {
  check_tensor(file, prefix + spec.name, spec.shape);
  const View<T> view = parameters[spec.slot];
  const std::span<T> values(view.data, static_cast<std::size_t>(view.size()));
  file.read(prefix + spec.name, values);
  if (std::ranges::all_of(values, [](T x) { return std::isfinite(x); })) return;
  throw CheckpointError(fmt::format(
      "checkpoint: tensor {} holds infinite numbers or NaN; its training diverged", prefix + spec.name));
}

void check_parameters(const SafetensorsFile& file, const ParameterLayout& layout) {
  for (const ParameterSpec& spec : layout.specs()) check_tensor(file, spec.name, spec.shape);
  std::vector<std::string> others = file.names();
  std::erase_if(others, [&](const std::string& name) {
    return layout.find_if_there(name) != nullptr || name.starts_with(of_optimizer);
  });
  if (others.empty()) return;
  std::ranges::sort(others);
  throw CheckpointError(fmt::format(
      "checkpoint: the model has no parameters {} (change its settings in the metadata, or leave these "
      "tensors out)",
      joined(others)));
}

template <typename T>
void load_parameters(const SafetensorsFile& file, Parameters<T>& parameters, const std::string& prefix) {
  const Parameters<T> loaded = read_parameters<T>(file, parameters.layout(), prefix);
  std::ranges::copy(loaded.flat(), parameters.flat().begin());
}

template <typename T>
void save_checkpoint(const LockedPath& path, Trainer<T>& trainer, const Metadata& settings) {
  SafetensorsWriter writer;
  for (const auto& [key, value] : settings) writer.set_metadata(key, value);
  writer.set_metadata("step", std::to_string(trainer.steps()));
  add_parameters<T>(writer, trainer.values());
  for (const auto& state : trainer.optimizer().state()) {
    add_parameters<T>(writer, *state.block, state_prefix(state.name));
  }
  writer.write(path);
}

template <typename T>
void load_checkpoint(const SafetensorsFile& file, const std::filesystem::path& path, Trainer<T>& trainer) {
  const Index step = checkpoint_step(file, path);
  const auto& layout = trainer.model().layout();
  const Parameters<T> values = read_parameters<T>(file, layout, "");
  const auto states = trainer.optimizer().state();
  std::vector<Parameters<T>> loaded;
  for (const auto& state : states)
    loaded.push_back(read_parameters<T>(file, layout, state_prefix(state.name)));
  std::ranges::copy(values.flat(), trainer.values().flat().begin());
  for (std::size_t i = 0; i < states.size(); ++i)
    std::ranges::copy(loaded[i].flat(), states[i].block->flat().begin());
  trainer.set_steps(step);
}

Index checkpoint_step(const SafetensorsFile& file, const std::filesystem::path& path) {
  const auto found = file.metadata().find("step");
  const auto step = found != file.metadata().end() ? parse_integer(found->second) : std::nullopt;
  if (step && *step >= 0) return *step;
  throw CheckpointError(
      fmt::format("{}: no step in its metadata; expected a checkpoint that train wrote", path.string()));
}

template void add_parameters<float>(SafetensorsWriter&, const Parameters<float>&, const std::string&);
template void add_parameters<double>(SafetensorsWriter&, const Parameters<double>&, const std::string&);
template void load_parameter<float>(const SafetensorsFile&, const ParameterSpec&, Parameters<float>&,
                                    const std::string&);
template void load_parameter<double>(const SafetensorsFile&, const ParameterSpec&, Parameters<double>&,
                                     const std::string&);
template void load_parameters<float>(const SafetensorsFile&, Parameters<float>&, const std::string&);
template void load_parameters<double>(const SafetensorsFile&, Parameters<double>&, const std::string&);
template void save_checkpoint<float>(const LockedPath&, Trainer<float>&, const Metadata&);
template void save_checkpoint<double>(const LockedPath&, Trainer<double>&, const Metadata&);
template void load_checkpoint<float>(const SafetensorsFile&, const std::filesystem::path&, Trainer<float>&);
template void load_checkpoint<double>(const SafetensorsFile&, const std::filesystem::path&, Trainer<double>&);

}  // namespace ordinal
