// Independent trainings at the same time: each on one thread uses a machine better than one after the other on all
// threads, because the threads of one training wait for each other in every step. Threads without a training of
// their own help with those of others.
#pragma once

#include <functional>

#include "framework/core/tensor.h"
#include "framework/core/threads.h"

namespace ordinal::experiments {

/// How many trainings run at once, and on how many threads altogether.
struct Jobs {
  int count = 1;
  int threads = 1;
};

/// For a number of trainings on `threads` threads. `asked` is the number that the user wants at once; 0: as many as
/// there are threads.
Jobs jobs_for(Index trainings, int threads, int asked);

/// The work of one item, with the threads that do its tasks; `job` is 0 … jobs.count - 1.
using ItemWork = std::function<bool(Index item, Index job, Threads& threads)>;

/// Calls work for items 0 … items - 1, each once. Each job is a thread that takes the next item when it is done with one.
/// The other threads share out among the jobs, and so do the jobs that find no item left. Takes no further items
/// once a call returned false or threw. Returns whether all items were done; rethrows the first exception when all
/// threads have stopped. `take` returns the next item, if other processes take some.
bool run_side_by_side(Index items, const Jobs& jobs, const ItemWork& work,
                      const std::function<Index()>& take = {});

}  // namespace ordinal::experiments
