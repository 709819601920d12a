// A checkpoint: parameters, optimizer state, step and settings in one safetensors file that Python reads with
// its `safetensors` package. The metadata holds the settings under their config keys, so a file describes its
// own model.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "framework/core/parameters.h"
#include "framework/storage/safetensors.h"
#include "framework/training/trainer.h"

namespace ordinal {

/// Settings by config key, and entries added by a driver.
using Metadata = std::map<std::string, std::string>;

/// Writes each parameter under its name, each block of the optimizer's state as
/// `optimizer.<state>.<parameter>`, and `step` and `settings` in the metadata. Atomic: a reader sees the
/// old file or the new one. Throws std::filesystem::filesystem_error if the file cannot be written.
template <typename T>
void save_checkpoint(const LockedPath& path, Trainer<T>& trainer, const Metadata& settings);

/// Adds parameters only: the weights of a model, or gradients under a prefix.
template <typename T>
void add_parameters(SafetensorsWriter& writer, const Parameters<T>& parameters,
                    const std::string& prefix = "");

/// Reads one parameter, converting between float and double. Throws CheckpointError if it is missing, has another
/// shape or type, or holds an infinite number or NaN.
template <typename T>
void load_parameter(const SafetensorsFile& file, const ParameterSpec& spec, Parameters<T>& parameters,
                    const std::string& prefix = "");

/// Throws CheckpointError unless the file holds every parameter of the layout in its shape, and no other tensor but the state
/// of an optimizer.
void check_parameters(const SafetensorsFile& file, const ParameterLayout& layout);

/// Reads parameters only, as load_parameter does. If it throws CheckpointError, `parameters` is unchanged.
template <typename T>
void load_parameters(const SafetensorsFile& file, Parameters<T>& parameters, const std::string& prefix = "");

/// Restores the parameters, the optimizer state and the step of a checkpoint. If it throws CheckpointError,
/// the trainer is unchanged.
template <typename T>
void load_checkpoint(const SafetensorsFile& file, const std::filesystem::path& path, Trainer<T>& trainer);

/// The step in a checkpoint's metadata. Throws CheckpointError if there is none.
Index checkpoint_step(const SafetensorsFile& file, const std::filesystem::path& path);

}  // namespace ordinal
