// Finds settings that are each valid but contradict each other, before anything runs.
#pragma once

#include <string>
#include <vector>

#include "experiments/settings/command_line.h"
#include "experiments/settings/rows.h"

namespace ordinal::experiments {

/// A contradiction: one line with the setting, the value, what was expected and a fix, and the keys involved.
struct Contradiction {
  std::vector<std::string> keys;
  std::string text;
  bool of_all = false;  // follows from all settings together, so any other mistake makes it uncertain
};

/// All contradictions, each once. `builds`: what the driver makes from the settings.
std::vector<Contradiction> contradictions(const Settings& settings, Builds builds);

/// A line for each setting on the command line that none of `rows`, all that is built, depends on: because
/// every row sets it itself, because no part in use has the option, or because each of them sets it in
/// brackets.
std::vector<Contradiction> unused_settings(const Settings& settings, const std::vector<Row>& rows);

}  // namespace ordinal::experiments
