// How much memory a process may use, so that a training that needs more is refused before it starts.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "framework/core/tensor.h"

namespace ordinal::experiments {

/// The memory that this process may use, and what limits it.
struct MemoryLimit {
  double bytes = 0.0;
  std::string source;  // "the machine has", …
};

/// The smallest of the machine's memory, the limits of the process's control groups (cgroup v2), both plus swap,
/// and the space left under a limit on the address space (ulimit -v). `root` is the root of the file system.
MemoryLimit memory_limit(const std::filesystem::path& root = "/");

/// What to do if memory runs out.
inline const std::string less_memory =
    "use a smaller model.d_model, model.layers, train.batch, task.train_length or evaluate.lengths, fewer "
    "rows in tables of positions, or fewer --threads (--dry-run shows what each row needs)";

/// Whether a run that needs about `bytes` may fit into the limit.
bool fits_memory(double bytes, const MemoryLimit& limit = memory_limit());

/// Throws ConfigError if a run that needs about `bytes` certainly exceeds the limit.
void check_memory(double bytes, const MemoryLimit& limit = memory_limit());

/// How many trainings run at once, where `needed(n)` is the bytes that n of them take: up to `asked`, as far as the limit
/// allows, or if that is 0, up to `most`, as far as half of it allows. At least 1.
int jobs_that_fit(const std::function<double(int)>& needed, int most, int asked,
                  const MemoryLimit& limit = memory_limit());

}  // namespace ordinal::experiments
