// How long an experiment will take, for --dry-run: measures a few steps of each row, and gives the trainings out as
// hand_out() does.
#pragma once

#include <string>
#include <vector>

#include "experiments/experiment/cell.h"
#include "experiments/experiment/trainings.h"
#include "experiments/process/progress.h"

namespace ordinal::experiments {

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

struct Forecast {
  double seconds = 0.0;     // until the last training is done
  double bound = 0.0;       // no schedule takes less
  double efficiency = 0.0;  // seconds of one thread for all trainings / (seconds · ranks · threads)
};

/// Each training in turn goes to the job that is free first; the threads of a rank share out among its jobs.
Forecast forecast(const std::vector<PlannedTraining>& trainings, const Workers& workers);

/// A few lines: the measured time of all trainings and of the longest, and when they would be done on these threads, and
/// on `ranks` processes of them (0: not asked for). `jobs` are trainings at the same time, 0: one for each thread. Takes
/// some seconds. Throws ConfigError if the machine has too little memory for one.
std::string forecast_text(const std::vector<Cell>& cells, const Trainings& trainings,
                          const Settings& evaluation, int threads, int jobs, int ranks, Progress& progress);

}  // namespace ordinal::experiments
