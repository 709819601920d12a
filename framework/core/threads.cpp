#include "framework/core/threads.h"

#include <sched.h>

#include <fmt/format.h>

#include <algorithm>
#include <cfenv>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace ordinal {
namespace {

// While it lives, numbers below the smallest normal one (2^-126 in float) count as 0 in its thread: some processors take a hundred
// times as long for them.
class FlushSubnormals {
 public:
  FlushSubnormals() {
    std::fegetenv(&before_);
    std::fenv_t flushing = before_;
#if defined(__x86_64__)
    flushing.__mxcsr |= 0x8040U;  // results and operands
#elif defined(__aarch64__)
    flushing.__fpcr |= 1U << 24U;
#endif
    std::fesetenv(&flushing);
  }
  ~FlushSubnormals() { std::fesetenv(&before_); }
  FlushSubnormals(const FlushSubnormals&) = delete;
  FlushSubnormals& operator=(const FlushSubnormals&) = delete;

 private:
  std::fenv_t before_{};
};

}  // namespace

int usable_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

Threads::Threads(int count, int guests) : guests_(guests) {
  if (count < 0 || guests < 0) {
    throw std::invalid_argument(
        fmt::format("Threads: got {} threads and {} guests, expected at least 0 of each", count, guests));
  }
  const int wanted = count > 0 ? count : usable_processors();
  try {
    for (int i = 1; i < wanted; ++i) workers_.emplace_back([this] { help([this] { return stopping_; }); });
  } catch (const std::system_error& error) {
    stop();
    throw std::runtime_error(fmt::format("Threads: the system started {} of {} threads ({}); use fewer",
                                         workers_.size() + 1, wanted, error.code().message()));
  }
}

Threads::~Threads() { stop(); }

void Threads::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake();
  for (std::thread& worker : workers_) worker.join();
}

void Threads::run_all(Index tasks, const std::function<void(Index)>& task) {
  std::unique_lock lock(mutex_);
  task_ = &task;
  next_ = 0;
  finished_ = 0;
  total_ = tasks;
  if (tasks > 1) start_.notify_all();
  take_tasks(lock);
  done_.wait(lock, [this] { return finished_ == total_; });
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void Threads::help(const std::function<bool()>& enough) {
  std::unique_lock lock(mutex_);
  while (true) {
    start_.wait(lock, [&] { return enough() || next_ < total_; });
    if (enough()) return;
    take_tasks(lock);
  }
}

void Threads::wake() {
  { const std::lock_guard lock(mutex_); }  // a thread that just saw enough() return false is waiting by now
  start_.notify_all();
}

void Threads::take_tasks(std::unique_lock<std::mutex>& lock) {
  const FlushSubnormals flushing;
  while (next_ < total_) {
    const Index mine = next_++;
    lock.unlock();
    std::exception_ptr failure;
    try {
      (*task_)(mine);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    if (failure && !failure_) failure_ = failure;
    if (++finished_ == total_) done_.notify_all();
  }
}

}  // namespace ordinal
