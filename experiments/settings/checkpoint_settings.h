// The settings stored in a checkpoint, and how the user's settings override them.
#pragma once

#include <cstdint>
#include <string>

#include "experiments/settings/settings.h"
#include "framework/storage/safetensors.h"

namespace ordinal::experiments {

/// The settings of a checkpoint or of a file of weights from elsewhere. Throws CheckpointError, with the path, unless the
/// metadata holds every setting of the sections model and positional, and the tensors are exactly those of that model, besides
/// the state of an optimizer.
Settings settings_of(const SafetensorsFile& file, const std::string& path);

/// The seed of the run that wrote it.
std::uint64_t seed_of(const SafetensorsFile& file, const std::string& path);

/// A line if a checkpoint was trained on other data than those with this hash, which may have been forgotten; else empty.
std::string warning_of_data(const std::string& path, const std::string& data_hash);

/// Settings for further training of the checkpoint at `path`. Task, model and position settings that are not
/// given come from the checkpoint. Given ones win where the trained weights stay valid (another text or
/// length, other positions, base, dropout). Where they would not (width, encoding, activation …), the given
/// ones must equal the checkpoint's. Throws CheckpointError with a line for each that does not, for a task or its training
/// length that is neither given nor in the file, and as settings_of() does.
Settings fine_tuning_settings(const Settings& given, const std::string& path);

/// Replaces the trained encoding by that of finetune.encoding, which has its positions unless it names others.
void exchange_encoding(Settings& settings);

/// Settings to use the checkpoint at `path` unchanged: the same, but the task must also be the checkpoint's, if it has one.
Settings inference_settings(const Settings& given, const std::string& path);

}  // namespace ordinal::experiments
