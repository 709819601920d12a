// Trains and scores the cells of an experiment, several at once.
#pragma once

#include <optional>
#include <vector>

#include "experiments/runs/trainings.h"

namespace ordinal::experiments {

/// The threads of all trainings together, and how many trainings run at once (0: one for each thread, as far as
/// half of the machine's memory holds them).
struct CellThreads {
  Threads& all;
  int jobs = 0;
};

/// The results of all cells, in their order; those that are done are read, the others trained, scored and
/// written. A training that cannot be done or diverges is a result that says so. `evaluation` holds evaluate.….
/// Returns nothing if it was interrupted. Results do not depend on the number of threads or trainings at once.
std::optional<std::vector<CellResult>> run_cells(const std::vector<Cell>& cells, const Trainings& trainings,
                                                 const Settings& evaluation, const CellThreads& threads,
                                                 Progress& progress, const InterruptGuard& interrupt);

}  // namespace ordinal::experiments
