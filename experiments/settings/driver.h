// What the main of every driver does.
#pragma once

#include <functional>

#include "experiments/settings/command_line.h"

namespace ordinal {

/// Parses the command line, answers --help and --print-config, else runs `body`, and returns the exit code.
/// Whatever is thrown becomes a line on stderr: exit code 2 for what a person can mend (settings, data,
/// checkpoints, files), 1 for the rest.
int run_driver(int argc, const char* const* argv, const DriverDescription& driver,
               const std::function<int(const CommandLine&)>& body);

}  // namespace ordinal
