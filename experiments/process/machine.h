// The machine and build of a run, for the start-up line and the manifest.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "framework/core/tensor.h"

namespace ordinal::experiments {

/// "ordinal 0.10.0, portable products with 8 lanes, OpenBLAS 0.3.21 (pthreads, Haswell) for doubles, 2 threads",
/// and on a second line a hint if the processor has wider vectors than the build uses, or if OpenBLAS was built with OpenMP.
std::string startup_line(int threads);

/// The version and the code for float products, on which the bits of a training depend besides its settings; then the
/// compiler, the flags, the BLAS and the processor.
using Facts = std::vector<std::pair<std::string, std::string>>;
Facts machine_facts();

/// "0.10": what this version writes is not mixed with what others wrote.
std::string results_version();

/// The machines that a training ran on, as JSON: one object per machine, with its facts and its first step.
/// Keeps those of `before` and appends this one, from `step` on, if the last one differs. `before` may be empty.
std::string machines_with_this(const std::string& before, Index step);

/// What changed of version and products from the second-to-last machine to the last, on one line; empty if nothing did.
std::string last_change(const std::string& machines);

/// Each fact with all its values on the trainings' machines; "not recorded" for a training without any.
Facts all_facts(const std::vector<std::string>& trainings);

}  // namespace ordinal::experiments
