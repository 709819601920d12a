// The processes that mpirun or srun started together to run one program: the ranks.
#pragma once

#include <atomic>
#include <cstdlib>
#include <memory>
#include <string>

#include "framework/core/tensor.h"
#include "framework/core/threads.h"
#include "framework/training/ranks.h"

namespace ordinal::experiments {

/// A single process; under MPI, one of several (mpi_world.cpp).
class World {
 public:
  World() = default;
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  virtual ~World() = default;

  /// All ranks.
  virtual Ranks& ranks() { return one_rank(); }

  /// 0, 1, 2, …: each number goes to one caller among all ranks, on any thread.
  virtual Index take_number() { return next_++; }

  /// Processors for this rank: those that it may run on, each shared equally with the other ranks that may use it.
  virtual int processors() const { return usable_processors(); }
  /// Ranks on this machine.
  virtual int ranks_here() const { return 1; }

  struct Ending {
    int exit_code = 0;      // the largest of all ranks
    bool reports = false;   // this rank must report why it failed: it is the first that did
    bool together = false;  // all ranks have ended
  };
  /// The last call of every rank. Waits for the others; if this rank failed, only for a few seconds.
  virtual Ending end(int exit_code, bool failed) { return {exit_code, failed, true}; }
  /// Ends all ranks at once.
  virtual void abort(int exit_code) { std::_Exit(exit_code); }

 private:
  std::atomic<Index> next_ = 0;
};

/// Throws ConfigError on all ranks if their texts differ, naming the first key that differs, with both values. A text
/// has lines "key = value" and "[section]", like a config.
void require_same(Ranks& ranks, const std::string& text);

/// The world of this process: that of MPI if the program was built with it (ORDINAL_MPI) and started by mpirun or srun,
/// else that of a single process.
std::unique_ptr<World> make_world();

/// The world of MPI; only with ORDINAL_MPI. Throws std::runtime_error if the library does not support threads.
std::unique_ptr<World> make_mpi_world();

}  // namespace ordinal::experiments
