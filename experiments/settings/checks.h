// Finds settings that are each valid but contradict each other or would have no effect, before anything runs. On the
// command line, the latter are refused; files may contain them, because they are shared by several programs and runs.
#pragma once

#include <string>
#include <vector>

#include "experiments/settings/command_line.h"

namespace ordinal::experiments {

/// A line for each contradiction: the setting, the value, what was expected and a fix. `builds` is what the driver builds
/// from the settings.
std::vector<std::string> contradictions(const Settings& settings, Builds builds);

/// A line for each setting on the command line that affects nothing that is built, because every row sets it itself or
/// because it is of a stage or a choice that no row has. The settings must not contradict each other.
std::vector<std::string> unused_settings(const Settings& settings, Builds builds);

}  // namespace ordinal::experiments
