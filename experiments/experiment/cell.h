// One cell of an experiment, a row with a seed, and the files that hold its result.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "experiments/experiment/entrant.h"
#include "experiments/results/result.h"
#include "framework/core/parameters.h"
#include "framework/storage/folder_lock.h"

namespace ordinal::experiments {

/// Its files are in <out>/cells/<row>/seed-<seed>.
struct Cell {
  const Entrant& entrant;
  std::uint64_t seed = 0;
  LockedPath folder = {};
};

/// The hash by which results name the weights that they belong to.
std::string weights_hash(const Parameters<float>& values);

/// The hash by which a result names the settings.json beside it.
std::string settings_hash(const std::filesystem::path& folder);

/// Writes settings.json: what a cell's result depends on, the settings that determine its weights and its scores. A
/// result of other settings is removed first, so that it never stands beside these.
void begin_cell(const Cell& cell);

/// Writes result.json with the hash of the settings.json that it belongs to.
void finish_cell(const Cell& cell, CellResult result);

/// The result of an earlier run, if there is one with the same settings. Throws DataError for a file that
/// does not hold one, or that was changed since it was written.
std::optional<CellResult> finished_result(const Cell& cell);

/// Refuses to mix results: throws ConfigError if the folder holds a cell that was trained with other
/// settings.
void check_folder(const Cell& cell);

/// A result in which every length fails for the same reason, or has no finite score because training diverged.
CellResult failed_result(const Cell& cell, const std::string& why, bool diverged);

}  // namespace ordinal::experiments
