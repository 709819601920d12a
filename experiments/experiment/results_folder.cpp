#include "experiments/experiment/results_folder.h"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/experiment/cell.h"
#include "framework/core/errors.h"

namespace ordinal::experiments {
namespace {

namespace fs = std::filesystem;

// Whether it is the score of a model that was trained elsewhere.
bool is_only_scored(const fs::path& result) {
  try {
    const CellResult cell = read_cell(result.parent_path());
    return !cell.weights_hash.empty() && cell.training_curve.empty();
  } catch (const DataError&) {  // it is rejected when it is used
    return false;
  }
}

}  // namespace

void check_out(const fs::path& out, Holds holds, const std::vector<fs::path>& cells) {
  const auto refuse_if = [](bool holds_others, const fs::path& path, const char* what) {
    if (!holds_others) return;
    throw ConfigError(fmt::format("{}: {}; choose another --out, or remove it", path.string(), what));
  };
  std::vector<fs::path> checkpoints;
  std::vector<fs::path> results;
  bool has_one = false;      // a file of a single training
  bool has_several = false;  // files of several models
  std::error_code missing;
  for (fs::recursive_directory_iterator entry(out, missing), end; entry != end; ++entry) {
    const fs::path& path = entry->path();
    if (fs::exists(path / ".lock", missing)) entry.disable_recursion_pending();
    const bool is_checkpoint = path.filename() == "checkpoint.safetensors";
    if (!is_checkpoint && path.filename() != "result.json") continue;
    (is_checkpoint ? checkpoints : results).push_back(path);
    (entry.depth() == 0 ? has_one : has_several) = true;
  }
  if (holds == Holds::training) {
    refuse_if(has_several, out, "it holds the results of several models, expected one training");
  } else if (holds == Holds::experiment) {
    refuse_if(has_one, out, "it holds the results of a single training");
    refuse_if(checkpoints.empty() && std::ranges::any_of(results, is_only_scored), out,
              "it holds scores of checkpoints, which evaluate wrote");
  } else {
    refuse_if(!checkpoints.empty(), out, "it holds trainings");
    for (const fs::path& path : results)
      refuse_if(std::ranges::find(cells, path.parent_path()) == cells.end(), path,
                "none of these checkpoints is of its row and seed");
  }
}

}  // namespace ordinal::experiments
