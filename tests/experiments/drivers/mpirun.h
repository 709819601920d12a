// Starts programs on several ranks of this machine.
#pragma once

#include <sstream>
#include <string>

#include "tests/experiments/drivers/program.h"

namespace ordinal::experiments::testing {

inline const bool has_mpi = !std::string(ORDINAL_MPIRUN).empty();

/// What comes before a program: for run_program() and run_until(). The variables let Open MPI run as root, and on fewer
/// processors than ranks; others ignore them. The thread sanitizer ignores what the library does on its own.
inline std::string mpirun(int ranks) {
  return "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 "
         "OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1 "
         "TSAN_OPTIONS=suppressions=" +
         (source_folder() / "tests/mpi.supp").string() + " " ORDINAL_MPIRUN " -n " + std::to_string(ranks);
}

/// Between mpirun() and the program: on one of the ranks a shell runs `command` first.
inline std::string on_rank(int rank, const std::string& command) {
  return " sh -c 'if [ ${OMPI_COMM_WORLD_RANK:-$PMI_RANK} = " + std::to_string(rank) + " ]; then " + command +
         "; fi; exec \"$0\" \"$@\"'";
}

/// The lines that a program wrote on stderr, without those of mpirun.
inline std::string lines_of(const std::string& program, const Outcome& outcome) {
  std::istringstream text(outcome.err);
  std::string lines;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with(program + ": ")) lines += line + "\n";
  }
  return lines;
}

}  // namespace ordinal::experiments::testing
