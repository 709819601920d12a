// The options outside the sections, such as --out, and which driver takes which. Settings are in keys.h.
#pragma once

#include <string>
#include <vector>

#include "experiments/settings/command_line.h"

namespace ordinal::experiments {

struct OutsideOption {
  std::string name;
  std::string argument;  // empty for a switch
  std::string help;
};

/// All of them, in the order of --help.
const std::vector<OutsideOption>& outside_options();

/// Whether a driver has this option: some belong to every driver.
bool takes(const DriverDescription& driver, const std::string& name);

}  // namespace ordinal::experiments
