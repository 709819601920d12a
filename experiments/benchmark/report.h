// The program benchmark: what it is asked to time, its tables, and the same for --json.
#pragma once

#include <functional>

#include "experiments/settings/command_line.h"

namespace ordinal::experiments {

/// Times what the keys benchmark.… ask for, after all of them were checked, and returns the exit code. `allocations`: the number
/// of calls of operator new so far. Throws ConfigError with one line for each problem: an unknown size, a length out of range,
/// a key of the model on the command line although no size `config` is requested.
int run_benchmark(const CommandLine& command, const std::function<Index()>& allocations);

}  // namespace ordinal::experiments
