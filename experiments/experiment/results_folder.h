// Refuses to mix the results of different programs in one folder.
#pragma once

#include <filesystem>
#include <vector>

namespace ordinal::experiments {

/// What a folder holds: the training of train, the cells of extrapolation, or the cells of evaluate, which trains none.
enum class Holds { training, experiment, scores };

/// Throws ConfigError if `out` holds results of another program or, for evaluate, results in folders other than `cells`.
/// Skips subfolders that have their own lock.
void check_out(const std::filesystem::path& out, Holds holds,
               const std::vector<std::filesystem::path>& cells = {});

}  // namespace ordinal::experiments
