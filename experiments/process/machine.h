// The machine and build of a run, for the start-up line and the manifest.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "framework/core/tensor.h"

namespace ordinal::experiments {

/// "ordinal 0.1.0, portable products with 8 lanes, OpenBLAS 0.3.21 (pthreads, Haswell) for doubles, 4 ranks × 2 threads",
/// and on a second line a hint if the processor has wider vectors than the build uses.
std::string startup_line(int threads, int ranks = 1);

/// What the bits of a training depend on besides its settings: the version, and who multiplies in float.
using Facts = std::vector<std::pair<std::string, std::string>>;
Facts bit_facts();

/// These, and what else a training ran on: compiler, flags, BLAS, processor.
Facts machine_facts();

/// The machines that a training ran on: JSON, one object for each, with its facts and the step that it started from.
/// Those of `before`, and this one from `step` on if the last was another. `before` may be empty.
std::string machines_with_this(const std::string& before, Index step);

/// In what the bits of the last of several machines may differ from those of the one before it, one line; empty for none.
std::string last_change(const std::string& machines);

/// Each fact with the values that the trainings' machines have; "not recorded" for a training without any.
Facts all_facts(const std::vector<std::string>& trainings);

}  // namespace ordinal::experiments
