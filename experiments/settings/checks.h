// What no part checks where it is built: settings of a training that contradict each other, and settings on the command line
// that would have no effect. Files may contain the latter, because they are shared by several programs and runs.
#pragma once

#include <string>
#include <vector>

#include "experiments/settings/command_line.h"

namespace ordinal::experiments {

/// Throws ConfigError for settings of a training, each valid by itself, that contradict each other or the task.
void check_training(const Settings& settings);

/// A line for each setting on the command line that affects nothing that is built, because every row sets it itself or
/// because it is of a stage or a choice that no row has. Throws ConfigError for rows that cannot be.
std::vector<std::string> unused_settings(const Settings& settings, Builds builds);

}  // namespace ordinal::experiments
