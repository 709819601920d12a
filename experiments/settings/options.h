// The options outside the sections, such as --out, and which driver takes which. Settings are in keys.h.
#pragma once

#include <string>
#include <vector>

#include "experiments/settings/command_line.h"
#include "experiments/settings/keys.h"

namespace ordinal::experiments {

struct OutsideOption {
  std::string name;
  std::string argument;  // empty for a switch
  std::string help;
  std::vector<std::string> choices = {};  // the values that it may have, if they are few
};

/// All of them, in the order of --help.
const std::vector<OutsideOption>& outside_options();

/// The option of that name, or null.
const OutsideOption* find_outside_option(const std::string& name);

/// Whether a driver has this option: some belong to every driver.
bool takes(const DriverDescription& driver, const std::string& name);

/// Whether a driver uses a key without a checkpoint: --help shows it.
bool uses(const DriverDescription& driver, const Key& key);

}  // namespace ordinal::experiments
