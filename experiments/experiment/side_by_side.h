// Runs independent trainings at the same time. Running each on one thread uses a machine better than
// running one after the other on all threads, because the threads of one training wait for each other
// in every step. Threads without a training help other trainings.
#pragma once

#include <functional>

#include "framework/core/tensor.h"
#include "framework/core/threads.h"

namespace ordinal::experiments {

/// The work of one item, with the threads that do its tasks.
using ItemWork = std::function<bool(Index item, Threads& threads)>;

/// Calls work once for each item 0 … items - 1. Each of `jobs` jobs is a thread that takes the next item when it finishes
/// one. The other of `threads` threads are divided among the jobs, as are the threads of jobs that find no item left. Takes
/// no more items once a call returns false or throws. Returns whether all items were done; rethrows the first
/// exception once all threads have stopped.
bool run_side_by_side(Index items, int jobs, int threads, const ItemWork& work);

}  // namespace ordinal::experiments
