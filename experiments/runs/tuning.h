// Chooses settings for a row on a seed that is not scored: compare.tune.….
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "experiments/runs/run_cells.h"
#include "experiments/runs/trainings.h"

namespace ordinal::experiments {

/// Throws ConfigError if experiment.tune_seed is one of the seeds that are scored, or if a key of the second
/// stage would be tuned.
void check_tuning(const Settings& settings);

/// All trainings needed to choose the values of `rows`. Throws ConfigError for a value that a row cannot
/// have.
std::vector<Entrant> tuning_candidates(const std::vector<Entrant>& rows, const Settings& settings,
                                       Entrants& entrants);

/// Trains the first stage of the row with every combination of the values of `settings.tuned()` in
/// <out>/tuning/<row>, and returns it with the one that is best at its training length on validation
/// examples. Returns nothing if it was interrupted. All ranks call it; a team of them trains, and all get the same row.
std::optional<Entrant> tuned(const Entrant& entrant, const Settings& settings, const LockedPath& out,
                             Entrants& entrants, Trainings& trainings, const CellWorkers& workers,
                             Progress& progress, const InterruptGuard& interrupt);

}  // namespace ordinal::experiments
