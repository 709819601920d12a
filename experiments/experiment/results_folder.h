// Reads what extrapolation, train and evaluate leave in a folder. Only reads.
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
  std::map<std::string, Metadata> settings = {};  // by row: what its results depend on but the seed
  bool is_described = false;                      // metrics and gate are known
  std::string unfinished = {};                    // why there may be more results later, one line; else empty
};

/// What a folder holds: the training of train, the cells of extrapolation, or those of evaluate, which trains none.
enum class Holds { training, experiment, scores };

/// Refuses to mix results: throws ConfigError if `out` holds those of another program or, of evaluate, some in other folders
/// than `cells`. Folders in it with a lock of their own are left out.
void check_out(const std::filesystem::path& out, Holds holds,
               const std::vector<std::filesystem::path>& cells = {});

/// The results that the manifest lists or, while another process writes to the folder and where there is no manifest, those
/// that are there. Throws DataError, naming the file, for a folder without results and for a file that is missing or damaged.
ResultsFolder read_results(const std::filesystem::path& folder);

}  // namespace ordinal::experiments
