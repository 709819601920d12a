// What extrapolation, train and evaluate do with the experiment of a command.
#pragma once

#include <filesystem>

#include "experiments/experiment/extrapolation.h"
#include "experiments/settings/command_line.h"

namespace ordinal::experiments {

/// Runs the experiment, or says what it would do, and prints its table, the verdicts on its claims and where the report is.
/// Returns the exit code. Throws PositionError or std::runtime_error if a single training failed or diverged.
int run_experiment(const CommandLine& command, const Settings& settings, const std::filesystem::path& out,
                   Form form = {});

}  // namespace ordinal::experiments
