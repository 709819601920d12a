// The machine and build of a run, for the start-up line and the manifest.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ordinal::experiments {

/// "ordinal 0.1.0, OpenBLAS 0.3.21 (pthreads) with Haswell kernels, 2 threads", and on a second line a hint
/// if the processor could run faster kernels than the ones in use.
std::string startup_line(int threads);

/// Version, compiler, flags, BLAS and kernel, processor, threads.
std::vector<std::pair<std::string, std::string>> machine_facts(int threads);

}  // namespace ordinal::experiments
