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

/// What to make smaller if a training does not fit.
inline const std::string sizes_of_training =
    "a smaller model.d_model, model.layers, train.batch or task.train_length";

/// Throws ConfigError if a training certainly exceeds the limit. `needed` is the estimate of training_memory() in bytes;
/// `way_out` says what to use instead.
void check_memory(double needed, const std::string& way_out = sizes_of_training,
                  const MemoryLimit& limit = memory_limit());

/// The same for scoring sequences of seq_len tokens, which needs `scoring` bytes on top of those of training (0: none).
void check_scoring_memory(double training, double scoring, Index seq_len,
                          const MemoryLimit& limit = memory_limit());

/// The number of parallel trainings, where `needed(n)` is the bytes that n of them take: up to `asked`, as far as the limit
/// allows, or if that is 0, up to `most`, as far as half of it allows. At least 1.
int jobs_that_fit(const std::function<double(int)>& needed, int most, int asked,
                  const MemoryLimit& limit = memory_limit());

}  // namespace ordinal::experiments
