// What an experiment would do, for --dry-run and the start of a run.
#pragma once

#include <string>
#include <vector>

#include "experiments/experiment/cell.h"

namespace ordinal::experiments {

/// A table. For each row and stage: parameters, training, floating-point operations (of trainings that
/// are not shared) and memory (in training, and what scoring on that many threads adds). Below it: the
/// positions and constants in effect. Then the totals. `candidates` are trained first, to choose values.
std::string dry_run_text(const Settings& settings, const std::vector<Entrant>& entrants,
                         const std::vector<Entrant>& candidates, int threads);

}  // namespace ordinal::experiments
