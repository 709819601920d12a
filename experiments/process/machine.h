// The machine and build of a run, for the start-up line and the manifest.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace ordinal::experiments {

/// "ordinal 0.10.0, portable products with 8 lanes, OpenBLAS 0.3.21 (pthreads, Haswell) for doubles, 2 threads",
/// and on a second line a hint if the processor has wider vectors than the build uses.
std::string startup_line(int threads);

/// The version, the code for float products, the compiler, the flags, the BLAS and the processor.
std::vector<std::pair<std::string, std::string>> machine_facts();

/// "0.10": what this version writes is not mixed with what others wrote.
std::string results_version();

/// All builds that ran a training, "0.10.0 with portable products", in their order and separated by semicolons: those of
/// `before`, then this one unless it is the last of them. Its bits depend on them besides its settings.
std::string builds_with_this(const std::string& before);

/// The rest of the first line of a file that starts with `start`; empty if there is none. For files in /proc.
std::string rest_of_line(const std::filesystem::path& file, const std::string& start);

}  // namespace ordinal::experiments
