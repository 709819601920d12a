// The threads of the framework. Work is split into numbered tasks based on the problem, never on the number
// of threads. Threads only take tasks, so results do not depend on the number of threads.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "framework/core/tensor.h"

namespace ordinal {

/// Processors that this process may run on. Under taskset or in a container, the machine has more.
int usable_processors();

class Threads {
 public:
  /// `count` threads, including the calling one; 0 means usable_processors(). Up to `guests` more threads may join with help().
  /// Throws std::invalid_argument for a negative number, std::runtime_error if the system does not start that many.
  explicit Threads(int count = 0, int guests = 0);
  ~Threads();
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  /// The number of threads, including guests.
  int count() const { return static_cast<int>(workers_.size()) + 1 + guests_; }

  /// Calls task(0) … task(tasks - 1), each once, on any thread, and returns when all are done. The first
  /// exception thrown by a task is rethrown here. Must not be called from a task. Tasks flush subnormal numbers to 0.
  template <typename Task>
  void run(Index tasks, const Task& task) {
    run_all(tasks, std::cref(task));  // a reference: std::function would copy the task to the heap
  }

  /// The calling thread takes tasks of run() until `enough` returns true; checks it after each run and on wake().
  void help(const std::function<bool()>& enough);
  void wake();

 private:
  void stop();
  void run_all(Index tasks, const std::function<void(Index)>& task);
  void take_tasks(std::unique_lock<std::mutex>& lock);

  const int guests_;
  std::mutex mutex_;
  std::condition_variable start_;
  std::condition_variable done_;
  const std::function<void(Index)>* task_ = nullptr;
  Index next_ = 0;
  Index total_ = 0;
  Index finished_ = 0;
  bool stopping_ = false;
  std::exception_ptr failure_;
  std::vector<std::thread> workers_;
};

}  // namespace ordinal
