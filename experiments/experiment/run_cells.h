// Trains and scores the cells of an experiment, several at once, on one machine or on several.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "experiments/experiment/cell.h"
#include "experiments/process/interrupt.h"
#include "experiments/process/progress.h"
#include "experiments/settings/command_line.h"
#include "experiments/training/training_run.h"
#include "experiments/training/world.h"

namespace ordinal::experiments {

/// The ranks, the threads of all trainings of this rank together, and how many trainings it runs at once (0: one for each
/// thread, as far as half of the machine's memory holds them). With a share, other processes work on other cells, in the
/// same folder.
struct CellWorkers {
  World& world;
  Threads& threads;
  int jobs = 0;
  std::optional<Share> share = {};
};

/// Gets the results so far, in the order of the cells, after each cell of this rank. One thread at a time calls it, while
/// the others go on.
using ResultsSoFar = std::function<void(std::vector<CellResult>)>;

/// The result of a cell whose model was trained: that of an earlier run if it has these settings and weights, else a new
/// one, which is scored at each length under each condition and written. Throws Stopped if it is interrupted.
CellResult score_cell(const Cell& cell, const TrainingRun& run, const Settings& evaluation, Threads& threads,
                      Progress& progress, const InterruptGuard& interrupt);

/// The results of all cells, in their order; those that are done are read, the others trained (or their checkpoints
/// loaded), scored and written. Cells that share a training are done one after the other, each group on the rank and job that
/// is free first. Of processes with shares only one at a time is at a training; the others wait for it. A training that
/// cannot be done or diverges is a result that says so. `evaluation` is as in Subject.
/// All ranks call it. Returns nothing if it was interrupted, on any of them; else the results on rank 0, and none on the
/// others. Results do not depend on the number of ranks, threads or trainings at once. Throws ConfigError, before any training,
/// if a training of each rank of this machine needs more memory than there is.
std::optional<std::vector<CellResult>> run_cells(const std::vector<Cell>& cells, const Settings& evaluation,
                                                 const CellWorkers& workers, Progress& progress,
                                                 const InterruptGuard& interrupt,
                                                 const ResultsSoFar& finished = {});

}  // namespace ordinal::experiments
