// What no part checks where it is built: settings of a training that contradict each other, and settings that have no effect.
// A file may hold those of another program or run.
#pragma once

#include <string>
#include <vector>

#include "experiments/settings/command_line.h"

namespace ordinal::experiments {

/// Throws ConfigError for settings of a training, each valid by itself, that contradict each other or the task.
void check_training(const Settings& settings);

/// A line for each setting that affects nothing that is built: on the command line, because every row sets it itself or
/// because it is of a stage or a choice that no row has; in one of the `files`, in the order in which they were read, because
/// every row of earlier ones sets it. Throws ConfigError for rows that cannot be.
std::vector<std::string> unused_settings(const Settings& settings, Builds builds,
                                         const std::vector<std::string>& files = {});

}  // namespace ordinal::experiments
