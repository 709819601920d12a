#include "experiments/training/world.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "experiments/settings/difference.h"
#include "framework/core/errors.h"

namespace ordinal::experiments {
namespace {

// Starting MPI takes half a second even for a single process, so a process that was started by hand skips it. mpirun and
// srun set one of these variables, for Open MPI, for PMI (MPICH and others), or for PMIx.
[[maybe_unused]] bool is_launched() {
  constexpr std::array variables = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"};
  return std::ranges::any_of(variables, [](const char* name) { return std::getenv(name) != nullptr; });
}

// The values of a config by key; those of a repeated key are joined.
Metadata values_of(const std::string& config) {
  Metadata values;
  std::string section;
  std::istringstream lines(config);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t equals = line.find(" = ");
    if (equals == std::string::npos) {
      if (!line.empty()) section = line.substr(1, line.size() - 2) + ".";
      continue;
    }
    std::string& value = values[section + line.substr(0, equals)];
    value += (value.empty() ? "" : ", ") + line.substr(equals + 3);
  }
  return values;
}

// The first difference between the texts of rank 0 and of another one; empty if there is none.
std::string problem_of(const std::string& first, const std::string& other, int rank) {
  if (first == other) return "";
  constexpr const char* expected = "expected the same settings, options and data on all ranks";
  const auto differences = all_differences(values_of(first), values_of(other));
  if (differences.empty())
    return fmt::format("rows: others, or in another order, on rank {} than on rank 0, {}", rank, expected);
  const auto& [key, there, here] = differences.front();
  return fmt::format("{}: {} on rank 0, {} on rank {}, {}", key, there, here, rank, expected);
}

}  // namespace

void require_same(Ranks& ranks, const std::string& text) {
  const std::string first = first_text(ranks, ranks.rank() == 0 ? text : "");
  const std::string problem = first_text(ranks, problem_of(first, text, ranks.rank()));
  if (!problem.empty()) throw ConfigError(problem);
}

std::unique_ptr<World> make_world() {
  if constexpr (ORDINAL_MPI) {
    if (is_launched()) return make_mpi_world();
  }
  return std::make_unique<World>();
}

}  // namespace ordinal::experiments
