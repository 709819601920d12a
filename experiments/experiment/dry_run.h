// What an experiment would do, for --dry-run and the start of a run, and how long it would take.
#pragma once

#include <string>
#include <vector>

#include "experiments/experiment/cell.h"
#include "experiments/process/progress.h"

namespace ordinal::experiments {

/// A table: for each row and stage parameters, training, floating-point operations (of trainings that are not
/// shared) and memory, in training and what scoring on that many threads adds; below it the positions and constants in
/// effect; then the totals. `candidates` are trained first, to choose values.
std::string dry_run_text(const Settings& settings, const std::vector<Entrant>& entrants,
                         const std::vector<Entrant>& candidates, int threads);

/// What is given out at once: a training, with the scoring of the cells that share it.
struct PlannedTraining {
  double seconds = 0.0;  // of one thread
  Index shards = 1;
};

/// `ranks` processes of `threads` threads, with `jobs` trainings at a time in each.
struct Workers {
  int ranks = 1;
  int threads = 1;
  int jobs = 1;
  double gain =
      1.0;  // a training on k threads is 1 + gain·(k - 1) times as fast as on one, for k up to its shards
};

/// Seconds until the last training is done: each in turn goes to the job that is free first; the threads of a rank share
/// out among its jobs.
double forecast(const std::vector<PlannedTraining>& trainings, const Workers& workers);

/// A few lines: the measured time of all trainings and of the longest, and when they would be done on these threads, and
/// on `ranks` processes of them (0: not asked for). `jobs` are trainings at the same time, 0: one for each thread. Takes
/// some seconds: it measures a few steps of each row. Throws ConfigError if the machine has too little memory for one.
std::string forecast_text(const std::vector<Cell>& cells, const Settings& evaluation, int threads, int jobs,
                          int ranks, Progress& progress);

}  // namespace ordinal::experiments
