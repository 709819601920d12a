// The main function of every driver. The drivers are in experiments/programs, so that your own program can
// register its own parts first and then run the same driver:
//
//   int main(int argc, char** argv) {
//     ordinal::encodings().add(my_encoding());
//     return ordinal::experiments::run_driver(argc, argv, ordinal::experiments::extrapolation_driver);
//   }
#pragma once

#include <filesystem>
#include <string>

#include "experiments/settings/command_line.h"

namespace ordinal::experiments {

/// Runs the driver that is described: parses the command line, answers --help, --list or --print-config or else runs the driver's body, and
/// returns the exit code. Reports every exception on stderr: exit code 2 for what the user can fix
/// (settings, data, checkpoints, files), 1 for the rest.
int run_driver(int argc, const char* const* argv, DriverDescription (*describe)());

/// The message for an error of the file system: "path: what was tried: the reason; a way out".
std::string file_problem(const std::filesystem::filesystem_error& error);

DriverDescription extrapolation_driver();
DriverDescription train_driver();
DriverDescription evaluate_driver();
DriverDescription generate_driver();
DriverDescription encoding_driver();
DriverDescription parity_driver();
DriverDescription claims_driver();
DriverDescription benchmark_driver();

}  // namespace ordinal::experiments
