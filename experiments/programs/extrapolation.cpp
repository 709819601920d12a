// extrapolation: the main experiment. Trains each positional encoding at one length, tests it at longer ones,
// and writes a table, plots and a report.
#include "experiments/experiment/extrapolation.h"
#include "experiments/programs/driver.h"

namespace ordinal::experiments {
namespace {

int extrapolation(const CommandLine& command) {
  const std::string results = "results/" + folder_of(command.settings->experiment.name);
  return run_experiment(command, command.settings, command.out.empty() ? results : command.out);
}

}  // namespace
DriverDescription extrapolation_driver() {
  return {.name = "extrapolation",
          .summary =
              "Trains a transformer with each positional encoding at one sequence length, tests it at longer "
              "ones, and writes a table, plots and a report. Finished cells are skipped, interrupted ones "
              "continue.",
          .examples = {"extrapolation --config configs/extrapolation.cfg"},
          .sections = {"experiment", "task", "model", "train", "finetune", "evaluate"},
          .unread = {"train.seed"},
          .options = {"out", "jobs"},
          .builds = Builds::rows,
          .body = extrapolation};
}

}  // namespace ordinal::experiments
