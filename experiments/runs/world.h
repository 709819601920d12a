// The processes that mpirun or srun started together to run one program: the ranks.
#pragma once

#include <memory>
#include <string>

#include "framework/core/tensor.h"
#include "framework/training/ranks.h"

namespace ordinal::experiments {

class World {
 public:
  World() = default;
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  virtual ~World() = default;

  /// All of them.
  virtual Ranks& ranks() = 0;

  /// 0, 1, 2, …: each number goes to one caller among all ranks, on any thread.
  virtual Index take_number() = 0;

  /// Processors for this rank: those that it may run on, shared equally with other ranks that may run there.
  virtual int processors() const = 0;
  /// Ranks on this machine.
  virtual int ranks_here() const = 0;

  struct Ending {
    int exit_code = 0;      // the largest of all ranks
    bool reports = false;   // this rank is to say why it failed: it is the first one that did
    bool together = false;  // all ranks have come to their end
  };
  /// Every rank calls it last. Waits for the others; if this one failed, for a few seconds only.
  virtual Ending end(int exit_code, bool failed) = 0;
  /// Ends all ranks at once.
  virtual void abort(int exit_code) = 0;
};

/// Throws ConfigError on all ranks if their texts differ, and names the first key in which they do, with both values. A
/// text has lines "key = value" and "[section]", as a config.
void require_same(Ranks& ranks, const std::string& text);

/// The world of this process: that of MPI if the program was built with it (ORDINAL_MPI) and started by mpirun or srun,
/// else the process on its own.
std::unique_ptr<World> make_world();
std::unique_ptr<World> make_one_process();

/// Of MPI; only with ORDINAL_MPI. Throws std::runtime_error if the library does not support threads.
std::unique_ptr<World> make_mpi_world();

}  // namespace ordinal::experiments
