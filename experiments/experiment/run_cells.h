// Trains and scores the cells of an experiment, several at once, on one machine or on several.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "experiments/experiment/hand_out.h"

namespace ordinal::experiments {

/// Gets the results so far, in the order of the cells, after each training of this rank. One thread at a time calls it, while the other
/// trainings go on.
using ResultsSoFar = std::function<void(std::vector<CellResult>)>;

/// The result of a cell whose model is trained: that of an earlier run if it has these settings and weights, else a new
/// one, which is scored at each length under each condition and written. `trained` holds what its training log tells,
/// if there is one. Throws Stopped if it is interrupted.
CellResult score_cell(const Cell& cell, const Subject& subject, CellResult trained, Threads& threads,
                      Progress& progress, const InterruptGuard& interrupt);

/// What a training log tells about a cell: curve, loss, seconds, gradient norm, machines.
CellResult training_of(const TrainingRun& run);

/// The results of all cells, in their order; those that are done are read, the others trained, scored and
/// written. A training that cannot be done or diverges is a result that says so. `evaluation` holds evaluate.….
/// Returns nothing if it was interrupted, on any rank; else the results on rank 0, and none on the others. Results do not
/// depend on the number of ranks, threads or trainings at once.
std::optional<std::vector<CellResult>> run_cells(const std::vector<Cell>& cells, const Trainings& trainings,
                                                 const Settings& evaluation, const CellWorkers& workers,
                                                 Progress& progress, const InterruptGuard& interrupt,
                                                 const ResultsSoFar& finished = {});

}  // namespace ordinal::experiments
