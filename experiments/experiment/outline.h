// What is known of an experiment before it runs: what it compares, the scores of readers, and the plan of --dry-run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiments/experiment/cell.h"
#include "experiments/results/result.h"

namespace ordinal::experiments {

/// Rows, lengths, conditions, metrics, tasks and question. Throws ConfigError if two rows' tasks are scored by different
/// metrics.
ExperimentResult outline_of(const std::vector<Entrant>& entrants, const Entrants& makers);

/// Adds the scores of the readers of each task on the examples of `seed`, and to each row the gate of its task. Where rows differ in
/// their tasks, the readers' rows name them ("unigram of copy"). Throws ConfigError for a gate that no row can reach.
void add_references(ExperimentResult& result, const std::vector<Entrant>& entrants, std::uint64_t seed);

/// For each row and stage: parameters, training, floating-point operations (of trainings that are not shared), memory, positions
/// and constants. Then the totals. `candidates` are trained first, to choose values.
std::string dry_run_text(const Settings& settings, const std::vector<Entrant>& entrants,
                         const std::vector<Entrant>& candidates, int threads);

}  // namespace ordinal::experiments
