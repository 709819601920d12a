// One cell of an experiment, a row with a seed, and the files in which its result stays.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "experiments/report/result.h"
#include "experiments/runs/entrant.h"

namespace ordinal::experiments {

/// Its files are in <out>/cells/<row>/seed-<seed>.
struct Cell {
  const Entrant& entrant;
  std::uint64_t seed = 0;
  std::filesystem::path folder = {};
};

/// settings.json: what a cell's result depends on, the settings behind its weights and those behind its
/// scores.
std::string cell_settings(const Cell& cell);

/// The result of an earlier run, if there is one with the same settings. Throws DataError for a file that
/// holds none.
std::optional<CellResult> finished_result(const Cell& cell);

/// Refuses to mix results: throws ConfigError if the folder holds a cell that was trained with other
/// settings.
void check_folder(const Cell& cell);

/// A result in which every length fails for the same reason, or has no finite score because training diverged.
CellResult failed_result(const Cell& cell, Index parameters, const std::string& why, bool diverged);

}  // namespace ordinal::experiments
