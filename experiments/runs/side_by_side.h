// Independent trainings at the same time: each on one thread uses a machine better than one after the other on all
// threads, because the threads of one training wait for each other in every step.
#pragma once

#include <functional>

#include "framework/core/tensor.h"

namespace ordinal::experiments {

/// How many trainings run at once, and on how many threads each.
struct Jobs {
  int count = 1;
  int threads_each = 1;
};

/// For a number of trainings on `threads` threads. `asked` is the number that the user wants at once; 0: as many as
/// there are threads.
Jobs jobs_for(Index trainings, int threads, int asked);

/// Calls work(item, job) for items 0 … items - 1, each once, by `jobs` threads that take the next item when they
/// are done with one; `job` is the number of the thread. Takes no further items once a call returned false or
/// threw. Returns whether all items were done; rethrows the first exception when all threads have stopped.
bool run_side_by_side(Index items, int jobs, const std::function<bool(Index item, Index job)>& work);

}  // namespace ordinal::experiments
