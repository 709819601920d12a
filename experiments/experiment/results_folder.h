// Reads what extrapolation, train and evaluate write into a folder. Never writes.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "experiments/results/result.h"
#include "framework/training/checkpoint.h"

namespace ordinal::experiments {

struct ResultsFolder {
  std::filesystem::path path;
  ExperimentResult result = {};  // rows, lengths, conditions, cells; metrics and gate as far as known
  std::map<std::string, Metadata> settings = {};  // by row: what its results depend on, except the seed
  bool is_described = false;                      // metrics and gate are known
  std::string unfinished = {};                    // why more results may come later, one line; else empty
};

/// What a folder holds: the training of train, the cells of extrapolation, or the cells of evaluate, which trains none.
enum class Holds { training, experiment, scores };

/// Refuses to mix results: throws ConfigError if `out` holds results of another program or, for
/// evaluate, results in folders other than `cells`. Skips subfolders that have their own lock.
void check_out(const std::filesystem::path& out, Holds holds,
               const std::vector<std::filesystem::path>& cells = {});

/// The results that the manifest lists. While another process writes to the folder, or without a manifest: those
/// that exist. Throws DataError, naming the file, for a folder without results and for a missing or damaged file.
ResultsFolder read_results(const std::filesystem::path& path);

}  // namespace ordinal::experiments
