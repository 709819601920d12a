#include "experiments/runs/world.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>

#include "framework/core/threads.h"

namespace ordinal::experiments {
namespace {

class OneProcess final : public World {
 public:
  Ranks& ranks() override { return one_rank(); }
  std::unique_ptr<Ranks> split(int) override { return std::make_unique<OneRank>(); }
  Index take_number() override { return next_++; }
  int processors() const override { return usable_processors(); }
  int ranks_here() const override { return 1; }
  Ending end(int exit_code, bool failed) override { return {exit_code, failed, true}; }
  void abort(int exit_code) override { std::_Exit(exit_code); }

 private:
  std::atomic<Index> next_ = 0;
};

// Starting MPI takes half a second even for a single process, so it is left out for one that was started by hand. mpirun and
// srun set one of these, for Open MPI, for PMI (MPICH and others), and for PMIx.
bool is_launched() {
  constexpr std::array variables = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"};
  return std::ranges::any_of(variables, [](const char* name) { return std::getenv(name) != nullptr; });
}

}  // namespace

std::unique_ptr<World> make_world() {
  if constexpr (ORDINAL_MPI) {
    if (is_launched()) return make_mpi_world();
  }
  return make_one_process();
}

std::unique_ptr<World> make_one_process() { return std::make_unique<OneProcess>(); }

}  // namespace ordinal::experiments
