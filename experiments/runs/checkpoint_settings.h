// What a checkpoint says of itself, and how a person's settings are laid over it.
#pragma once

#include <string>

#include "experiments/settings/settings.h"
#include "framework/storage/safetensors.h"

namespace ordinal::experiments {

/// The settings behind a checkpoint or parity file. Throws CheckpointError if its metadata describes no
/// model.
Settings settings_of(const SafetensorsFile& file, const std::string& path);

/// Settings to train the checkpoint at `path` further: tasks, model and positions that are not given are the
/// checkpoint's. Given ones win where a trained model can be taken elsewhere (another text or length,
/// other positions, base, dropout); where they would make other weights of it (width, encoding, activation …)
/// they must be the checkpoint's. Throws CheckpointError with a line for each that is not, or if the file is
/// no checkpoint.
Settings fine_tuning_settings(const Settings& given, const std::string& path);

/// Settings to use the checkpoint at `path` as it is: the same, but the task is the checkpoint's, too.
Settings inference_settings(const Settings& given, const std::string& path);

}  // namespace ordinal::experiments
