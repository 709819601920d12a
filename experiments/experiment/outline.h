// The results and the report of rows and their cells, for the programs that write a report: extrapolation, train, evaluate.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "experiments/experiment/cell.h"
#include "experiments/report/report.h"
#include "experiments/results/result.h"

namespace ordinal::experiments {

/// Rows, lengths, conditions and metrics. Throws ConfigError if two rows' tasks are scored by different metrics.
ExperimentResult outline_of(const std::vector<Entrant>& entrants);

/// Adds the learning gate and, if all rows share one task, the scores of baselines on the examples of `seed`. Throws ConfigError
/// for a gate that no row can reach.
void add_references(ExperimentResult& result, const Entrant& first, const Entrants& makers,
                    std::uint64_t seed);

/// Adds what follows from the tasks that `makers` built: question, descriptions and the hash of the data.
void add_tasks(ExperimentResult& result, const std::vector<Entrant>& entrants, const Entrants& makers);

/// Adds results to `result`, and this machine and the builds of their trainings to its manifest.
void add_cells(ExperimentResult& result, std::vector<CellResult> cells);

/// Writes the manifest into `out`, with the hash of each model's weights, the metrics and the learning gate.
/// Also writes the report, with pictures of the models of `cells`, grouped by row. A checkpoint that is missing,
/// or does not hold the weights behind `result`, is named instead of drawn.
std::filesystem::path write_experiment(const ExperimentResult& result, std::span<const Cell> cells,
                                       const LockedPath& out);

}  // namespace ordinal::experiments
