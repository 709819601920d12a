// Settings that are each possible but do not go together, found before anything runs.
#pragma once

#include <string>
#include <vector>

#include "experiments/settings/command_line.h"

namespace ordinal::experiments {

/// What does not go together: one line that says what, got, expected and how to fix it, and the keys
/// involved.
struct Contradiction {
  std::vector<std::string> keys;
  std::string text;
  bool of_all = false;  // follows from all settings together, so that any other mistake leaves it in doubt
};

/// All contradictions, each once. `builds` says what the driver makes from the settings.
std::vector<Contradiction> contradictions(const Settings& settings, Builds builds);

}  // namespace ordinal::experiments
