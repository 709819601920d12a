// How long an experiment takes on given threads and ranks: a discrete simulation of run_side_by_side() on each rank,
// over measured times. A training on k threads is 1 + gain·(k - 1) times as fast as on one, up to one thread for each
// of its shards. The ranks take trainings one after the other from one list, each as many at a time as it has jobs. If
// there are more ranks than trainings, equal teams of them share one each (team.h), and in every step a rank exchanges
// and adds 2·(1 - 1/ranks) gradients.
#pragma once

#include <vector>

#include "framework/core/tensor.h"

namespace ordinal::experiments {

struct PlannedTraining {
  double seconds = 0.0;   // of one thread
  double exchange = 0.0;  // seconds to copy and add the gradients of all steps once
  Index shards = 1;
};

/// `ranks` processes of `threads` threads, with up to `jobs` trainings at a time in each.
struct Workers {
  int ranks = 1;
  int threads = 1;
  int jobs = 1;
  double gain = 1.0;
};

struct Schedule {
  double seconds = 0.0;     // until the last training is done
  double bound = 0.0;       // no schedule takes less
  double efficiency = 0.0;  // seconds of one thread for all trainings / (seconds · ranks · threads)
};

/// Throws std::invalid_argument without trainings or workers.
Schedule simulate(const std::vector<PlannedTraining>& trainings, const Workers& workers);

}  // namespace ordinal::experiments
