// Trains and scores the cells of an experiment, several at once.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "experiments/experiment/cell.h"
#include "experiments/process/interrupt.h"
#include "experiments/process/progress.h"
#include "framework/core/threads.h"

namespace ordinal::experiments {

/// The threads that all trainings share, and how many run at once (0: one per thread, as many as fit in half of the
/// machine's memory).
struct CellWorkers {
  Threads& threads;
  int jobs = 0;
};

/// Called after each seed but the last, once every row has a result for it: with the results of the seeds that every row has and
/// those of earlier runs, in the order of the cells. One thread at a time calls it, while the others continue.
using AfterSeed = std::function<void(std::vector<CellResult> results, SeedsSoFar seeds)>;

/// Throws whatever the files that exist make a run of these cells throw, before anything is written: DataError or CheckpointError for
/// a result or a checkpoint that is damaged, and ConfigError if there is not enough memory.
void check_cells(const std::vector<Cell>& cells, const CellWorkers& workers);

/// What a run of these cells one after the other, as if none was finished, says if there is not enough memory; else empty.
std::string memory_problem(const std::vector<Cell>& cells, const CellWorkers& workers);

/// The results of all cells, in their order. Reads those that are done; trains the others (or loads their checkpoints), scores them
/// and writes the results: first the first cell of each row, then the second of each, and so on. Other processes may do the same:
/// only one at a time works on a training, and each takes what no other has taken. A training that cannot run or diverges gives a
/// result that says so. Returns nothing if interrupted. Throws ConfigError, before any training, if one needs more memory than there
/// is.
std::optional<std::vector<CellResult>> run_cells(const std::vector<Cell>& cells, const CellWorkers& workers,
                                                 Progress& progress, const InterruptGuard& interrupt,
                                                 const AfterSeed& after_seed = {});

}  // namespace ordinal::experiments
