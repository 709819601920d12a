// Short names for settings that hold every option, such as those of a checkpoint.
#pragma once

#include <string>

#include "experiments/settings/settings.h"
#include "experiments/tasks/task.h"

namespace ordinal::experiments {

/// The encoding and its positions as an entry of positional.encodings: "rope", "rope(base=500)",
/// "rope@contiguous:yarn". Options that have the value that they would have if nobody set them are left out.
std::string entry_text(const Settings& settings, const Task& task);

}  // namespace ordinal::experiments
