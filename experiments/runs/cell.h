// One cell of an experiment, a row with a seed, and the files that hold its result.
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

/// settings.json: what a cell's result depends on, the settings that determine its weights and its scores.
std::string cell_settings(const Cell& cell);

/// The result of an earlier run, if there is one with the same settings. Throws DataError for a file that
/// does not hold one.
std::optional<CellResult> finished_result(const Cell& cell);

/// Refuses to mix results: throws ConfigError if the folder holds a cell that was trained with other
/// settings.
void check_folder(const Cell& cell);

/// A result in which every length fails for the same reason, or has no finite score because training diverged.
CellResult failed_result(const Cell& cell, const std::string& why, bool diverged);

}  // namespace ordinal::experiments
