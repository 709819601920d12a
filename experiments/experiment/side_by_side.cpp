#include "experiments/experiment/side_by_side.h"

#include <atomic>
#include <deque>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace ordinal::experiments {
namespace {

struct Job {
  explicit Job(int guests) : threads(1, guests) {}
  Threads threads;
  std::atomic<bool> ended = false;
};

class Crew {
 public:
  Crew(Index items, int jobs, int threads, const ItemWork& work) : items_(items), work_(work) {
    for (int i = 0; i < jobs; ++i) jobs_.emplace_back(threads - 1);
  }

  // The work of thread `index`. The first threads are jobs until no item is left; then all threads help, each beginning with
  // another job.
  void run(Index index) {
    const Index jobs = std::ssize(jobs_);
    const auto job = [&](Index i) -> Job& { return jobs_[static_cast<std::size_t>(i % jobs)]; };
    if (index < jobs) {
      take_items(job(index).threads);
      end(job(index));
    }
    for (Index i = index; i < index + jobs; ++i) job(i).threads.help([&] { return job(i).ended.load(); });
  }

  // The jobs from `first` on were not started.
  void end_from(Index first) {
    for (Index i = first; i < std::ssize(jobs_); ++i) end(jobs_[static_cast<std::size_t>(i)]);
  }

  bool finish() {
    if (failure_) std::rethrow_exception(failure_);
    return !stopped_;
  }

 private:
  void take_items(Threads& threads) {
    while (!stopped_) {
      const Index item = next_++;
      if (item >= items_) return;
      try {
        if (!work_(item, threads)) stopped_ = true;
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!failure_) failure_ = std::current_exception();
        stopped_ = true;
      }
    }
  }

  void end(Job& job) {
    job.ended = true;
    job.threads.wake();
  }

  const Index items_;
  const ItemWork& work_;
  std::deque<Job> jobs_;
  std::atomic<Index> next_ = 0;
  std::atomic<bool> stopped_ = false;
  std::exception_ptr failure_;
  std::mutex mutex_;
};

}  // namespace

bool run_side_by_side(Index items, int jobs, int threads, const ItemWork& work) {
  Crew crew(items, jobs, threads, work);
  {
    std::vector<std::jthread> others;
    Index started = 1;
    try {
      for (; started < threads; ++started) others.emplace_back(&Crew::run, &crew, started);
    } catch (const std::system_error&) {  // the threads that did start do all the work
      crew.end_from(started);
    }
    crew.run(0);
  }
  return crew.finish();
}

}  // namespace ordinal::experiments
