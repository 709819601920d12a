// A checkpoint: parameters, optimizer state, step and settings in one safetensors file that Python reads with
// its `safetensors` package. The metadata holds the settings under their config keys, so a file describes its
// own model.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "framework/core/errors.h"
#include "framework/core/options.h"
#include "framework/core/parameters.h"
#include "framework/core/text.h"
#include "framework/storage/safetensors.h"
#include "framework/training/trainer.h"

namespace ordinal {

/// Settings by config key, and entries added by a driver.
using Metadata = std::map<std::string, std::string>;

inline constexpr std::string_view of_optimizer =
    "optimizer.";  // the start of the names of an optimizer's state

/// Throws CheckpointError unless the file has a tensor of this name and shape.
inline void check_tensor(const SafetensorsFile& file, const std::string& name, const Shape& expected) {
  const bool is_there = file.contains(name);
  if (is_there && file.shape(name) == expected) return;
  throw CheckpointError(fmt::format(
      "{}: tensor {} {}, expected shape {}; it belongs to a model of other settings", file.path(), name,
      is_there ? "has shape " + to_string(file.shape(name)) : "is missing", to_string(expected)));
}

/// Adds parameters only: the weights of a model, or gradients under a prefix.
template <typename T>
void add_parameters(SafetensorsWriter& writer, const Parameters<T>& parameters,
                    const std::string& prefix = "") {
  for (const ParameterSpec& spec : parameters.layout().specs()) {
    const View<const T> values = parameters[spec.slot];
    writer.add(prefix + spec.name, spec.shape,
               std::span(values.data, static_cast<std::size_t>(values.size())));
  }
}

/// Reads one parameter, converting between float and double. Throws CheckpointError if it is missing, has another
/// shape or type, or holds an infinite number or NaN.
template <typename T>
void load_parameter(const SafetensorsFile& file, const ParameterSpec& spec, Parameters<T>& parameters,
                    const std::string& prefix = "") {
  check_tensor(file, prefix + spec.name, spec.shape);
  const View<T> view = parameters[spec.slot];
  const std::span<T> values(view.data, static_cast<std::size_t>(view.size()));
  file.read(prefix + spec.name, values);
  if (std::ranges::all_of(values, [](T x) { return std::isfinite(x); })) return;
  throw CheckpointError(fmt::format("{}: tensor {} holds infinite numbers or NaN; its training diverged",
                                    file.path(), prefix + spec.name));
}

/// Reads all parameters of a layout, as load_parameter() does.
template <typename T>
Parameters<T> read_parameters(const SafetensorsFile& file, const ParameterLayout& layout,
                              const std::string& prefix) {
  Parameters<T> loaded(layout);
  for (const ParameterSpec& spec : layout.specs()) load_parameter(file, spec, loaded, prefix);
  return loaded;
}

/// Throws CheckpointError unless the file holds every parameter of the layout in its shape, and no other tensor but the state
/// of an optimizer.
inline void check_parameters(const SafetensorsFile& file, const ParameterLayout& layout) {
  for (const ParameterSpec& spec : layout.specs()) check_tensor(file, spec.name, spec.shape);
  std::vector<std::string> others = file.names();
  std::erase_if(others, [&](const std::string& name) {
    return layout.find_if_there(name) != nullptr || name.starts_with(of_optimizer);
  });
  if (others.empty()) return;
  std::ranges::sort(others);
  throw CheckpointError(
      fmt::format("{}: the model has no parameters {} (change its settings in the metadata, or leave these "
                  "tensors out)",
                  file.path(), joined(others)));
}

/// Reads parameters only, as load_parameter does. If it throws CheckpointError, `parameters` is unchanged.
template <typename T>
void load_parameters(const SafetensorsFile& file, Parameters<T>& parameters, const std::string& prefix = "") {
  const Parameters<T> loaded = read_parameters<T>(file, parameters.layout(), prefix);
  std::ranges::copy(loaded.flat(), parameters.flat().begin());
}

/// The step in a checkpoint's metadata. Throws CheckpointError if there is none.
inline Index checkpoint_step(const SafetensorsFile& file, const std::filesystem::path& path) {
  const auto found = file.metadata().find("step");
  const auto step = found != file.metadata().end() ? parse_integer(found->second) : std::nullopt;
  if (step && *step >= 0) return *step;
  throw CheckpointError(
      fmt::format("{}: no step in its metadata; expected a checkpoint that train wrote", path.string()));
}

/// A file with these metadata and parameters.
template <typename T>
SafetensorsWriter writer_of(const Parameters<T>& values, const Metadata& metadata) {
  SafetensorsWriter writer;
  for (const auto& [key, value] : metadata) writer.set_metadata(key, value);
  add_parameters<T>(writer, values);
  return writer;
}

/// Writes each parameter under its name, each block of the optimizer's state as
/// `optimizer.<state>.<parameter>`, and `step` and `settings` in the metadata. Atomic: a reader sees the
/// old file or the new one. Throws std::filesystem::filesystem_error if the file cannot be written. For `check`, see
/// write_file_atomically().
template <typename T>
void save_checkpoint(const std::filesystem::path& path, Trainer<T>& trainer, const Metadata& settings,
                     const WriteCheck& check = {}) {
  SafetensorsWriter writer = writer_of<T>(trainer.values(), settings);
  writer.set_metadata("step", std::to_string(trainer.steps()));
  for (const auto& state : trainer.optimizer().state()) {
    add_parameters<T>(writer, *state.block, fmt::format("{}{}.", of_optimizer, state.name));
  }
  writer.write(path, check);
}

/// Restores the parameters, the optimizer state and the step of a checkpoint. If it throws CheckpointError,
/// the trainer is unchanged.
template <typename T>
void load_checkpoint(const SafetensorsFile& file, const std::filesystem::path& path, Trainer<T>& trainer) {
  const Index step = checkpoint_step(file, path);
  const auto& layout = trainer.model().layout();
  const Parameters<T> values = read_parameters<T>(file, layout, "");
  const auto states = trainer.optimizer().state();
  std::vector<Parameters<T>> loaded;
  for (const auto& state : states)
    loaded.push_back(read_parameters<T>(file, layout, fmt::format("{}{}.", of_optimizer, state.name)));
  std::ranges::copy(values.flat(), trainer.values().flat().begin());
  for (std::size_t i = 0; i < states.size(); ++i)
    std::ranges::copy(loaded[i].flat(), states[i].block->flat().begin());
  trainer.set_steps(step);
}

}  // namespace ordinal
