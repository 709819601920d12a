// The machine and build of a run, for the start-up line and the manifest; and how much memory a process may use, so that a
// training that needs more is refused before it starts.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace ordinal::experiments {

/// "ordinal 1.0.0, portable products with 8 lanes, OpenBLAS 0.3.21 (pthreads, Haswell) for doubles, 2 threads"
std::string startup_line(int threads);

/// The version, the code for float products, the compiler, the flags, the BLAS and the processor.
std::vector<std::pair<std::string, std::string>> machine_facts();

/// "1", the major version: what it writes is not mixed with what others wrote.
std::string results_version();

/// All builds that ran a training, "1.0.0 with portable products", in their order and separated by semicolons: those of
/// `before`, then this one unless it is the last of them. Its bits depend on them besides its settings.
std::string builds_with_this(const std::string& before);

/// The memory that is left to this process, and what limits it.
struct MemoryLimit {
  double bytes = 0.0;
  std::string source;  // "the limit (ulimit -v) of 410 MB leaves, beside the 202 MB of the program itself,"
  bool operator<(const MemoryLimit& other) const { return bytes < other.bytes; }
};

/// Throws ConfigError if this processor lacks instructions that the program was compiled to use.
void require_processor();

/// `processors`, or fewer if the control groups of the process (cgroup v2) allow less time than that. `root` is the root of the
/// file system.
int processors_to_use(int processors, const std::filesystem::path& root = "/");

/// The least that is left of the machine's memory, the limits of the process's control groups (cgroup v1 and v2), and limits on
/// mapped memory (ulimit -v and -d). `root` is the root of the file system.
MemoryLimit memory_limit(const std::filesystem::path& root = "/");

/// Whether a limit on mapped memory exists. OpenBLAS retries for ever what it leaves no room for, even when the process ends.
bool has_mapping_limit();

/// If there is such a limit, maps the buffer of OpenBLAS, so that memory_limit() says what is left beside it. Throws ConfigError if
/// there is no room for those of `threads` threads. Call this before the first product.
void prepare_blas(int threads);

/// What to do if memory runs out.
inline const std::string less_memory =
    "use a smaller model.d_model, model.layers, train.batch, task.train_length or evaluate.lengths, fewer "
    "rows in tables of positions, or fewer --threads (--dry-run shows what each row needs)";

/// Whether a run that needs about `bytes` fits into the limit.
bool fits_memory(double bytes, const MemoryLimit& limit = memory_limit());

/// Throws ConfigError if a run that needs about `bytes` exceeds the limit.
void check_memory(double bytes, const MemoryLimit& limit = memory_limit());

/// How many trainings run at once, where `needed(n)` is the bytes that n of them take: up to `asked`, as far as the limit
/// allows, or if that is 0, up to `most`, as far as half of it allows. At least 1.
int jobs_that_fit(const std::function<double(int)>& needed, int most, int asked,
                  const MemoryLimit& limit = memory_limit());

}  // namespace ordinal::experiments
