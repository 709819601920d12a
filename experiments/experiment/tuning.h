// Chooses settings for a row on a seed that is not scored: compare.tune.….
#pragma once

#include <vector>

#include "experiments/experiment/run_cells.h"

namespace ordinal::experiments {

/// Throws ConfigError if experiment.tune_seed is one of the scored seeds, or if tuning would change a
/// key of the second stage.
void check_tuning(const Settings& settings);

/// All trainings needed to choose the values of `rows`: the first stage of each row with every combination of the
/// values of `settings.tuned()`, scored at its training length. Throws ConfigError for a value that a row cannot have.
std::vector<Entrant> tuning_candidates(const std::vector<Entrant>& rows, const Settings& settings,
                                       Entrants& entrants);

/// The cells of `candidates` in <out>/tuning/<row>.
std::vector<Cell> tuning_cells(const std::vector<Entrant>& candidates, const Settings& settings,
                               const LockedPath& out);

/// Runs `cells`, those of all candidates, and gives each of `rows` the combination that is best on validation examples.
/// Returns false if it was interrupted.
bool tune(std::vector<Entrant>& rows, const std::vector<Cell>& cells, Entrants& entrants,
          const CellWorkers& workers, Progress& progress, const InterruptGuard& interrupt);

}  // namespace ordinal::experiments
