// How long an experiment will take, for --dry-run: measures a few steps of each row and simulates the schedule.
#pragma once

#include <string>
#include <vector>

#include "experiments/runs/cell.h"
#include "experiments/runs/progress.h"
#include "experiments/runs/trainings.h"

namespace ordinal::experiments {

struct ForecastRequest {
  int threads = 1;  // of each rank
  int jobs = 0;     // trainings at the same time on a rank, 0: one for each thread
  int ranks = 0;    // 0: one process alone
};

/// A few lines: the measured time of all trainings and of the longest, and when they would be done on these threads, and on
/// these ranks. Takes some seconds. Throws ConfigError if the machine has too little memory for one.
std::string forecast_text(const std::vector<Cell>& cells, const Trainings& trainings,
                          const Settings& evaluation, const ForecastRequest& request, Progress& progress);

}  // namespace ordinal::experiments
