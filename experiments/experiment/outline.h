// A report without its scores: what the programs that write one (extrapolation, train, evaluate) make from their rows.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "experiments/experiment/entrant.h"
#include "experiments/results/result.h"
#include "framework/storage/folder_lock.h"

namespace ordinal::experiments {

/// Rows, lengths, conditions and metrics. Throws ConfigError if the tasks of two rows are scored by different metrics.
ExperimentResult outline_of(const std::vector<Entrant>& entrants);

/// Adds what follows from the tasks, which `makers` built: question, descriptions, learning gate, the hash of the data and,
/// if all rows share one task, what baselines score on the examples of `seed`.
void add_tasks(ExperimentResult& result, const std::vector<Entrant>& entrants, const Entrants& makers,
               std::uint64_t seed);

/// Adds results, and the machines of their trainings to the manifest.
void add_cells(ExperimentResult& result, std::vector<CellResult> cells);

/// Writes manifest.json with the hash of each model's weights, the metrics and the learning gate into `out`.
void write_manifest(const ExperimentResult& result, const LockedPath& out);

}  // namespace ordinal::experiments
