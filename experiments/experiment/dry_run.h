// What an experiment would do, for --dry-run and the start of a run, and how long it would take.
#pragma once

#include <string>
#include <vector>

#include "experiments/experiment/cell.h"
#include "experiments/process/progress.h"

namespace ordinal::experiments {

/// A table. For each row and stage: parameters, training, floating-point operations (of trainings that
/// are not shared) and memory (in training, and what scoring on that many threads adds). Below it: the
/// positions and constants in effect. Then the totals. `candidates` are trained first, to choose values.
std::string dry_run_text(const Settings& settings, const std::vector<Entrant>& entrants,
                         const std::vector<Entrant>& candidates, int threads);

/// One unit of work: a training, with the scoring of the cells that share it.
struct PlannedTraining {
  double seconds = 0.0;  // on one thread
  Index shards = 1;
};

/// `ranks` processes with `threads` threads each; each process runs `jobs` trainings at a time.
struct Workers {
  int ranks = 1;
  int threads = 1;
  int jobs = 1;
  double gain =
      1.0;  // a training on k threads is 1 + gain·(k - 1) times as fast as on one, for k up to its shards
};

/// Seconds until the last training is done. Each training in turn goes to the first free job; the
/// threads of a rank are divided among its jobs.
double forecast(const std::vector<PlannedTraining>& trainings, const Workers& workers);

/// A few lines: the measured time of all trainings and of the longest, and the time until they are done on these
/// threads and on `ranks` processes of them (0: not asked for). `jobs` trainings run at once; 0: one per thread. Takes
/// some seconds to measure a few steps of each row. Throws ConfigError if the machine has too little memory for one.
std::string forecast_text(const std::vector<Cell>& cells, const Settings& evaluation, int threads, int jobs,
                          int ranks, Progress& progress);

}  // namespace ordinal::experiments
