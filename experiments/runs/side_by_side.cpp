#include "experiments/runs/side_by_side.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace ordinal::experiments {

Jobs jobs_for(Index trainings, int threads, int asked) {
  const int most = std::min(threads, static_cast<int>(std::clamp<Index>(trainings, 1, 1 << 20)));
  const int count = asked > 0 ? std::min(asked, most) : most;
  return {count, threads / count};
}

bool run_side_by_side(Index items, int jobs, const std::function<bool(Index item, Index job)>& work) {
  std::atomic<Index> next = 0;
  std::atomic<bool> stopped = false;
  std::exception_ptr failure;
  std::mutex mutex;
  const auto run = [&](Index job) {
    while (!stopped) {
      const Index item = next++;
      if (item >= items) return;
      try {
        if (!work(item, job)) stopped = true;
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
        stopped = true;
      }
    }
  };
  std::vector<std::jthread> others;
  try {
    for (Index job = 1; job < jobs; ++job) others.emplace_back(run, job);
  } catch (const std::system_error&) {  // the jobs that were started do all the work
  }
  run(0);
  others.clear();  // joins
  if (failure) std::rethrow_exception(failure);
  return !stopped;
}

}  // namespace ordinal::experiments
