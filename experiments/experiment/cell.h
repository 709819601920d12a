// What an experiment consists of: entrants, which are rows with their stages of training, and cells, each an entrant with a
// seed, and the files that hold the result of a cell.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "experiments/results/result.h"
#include "experiments/settings/plan.h"
#include "experiments/settings/rows.h"
#include "experiments/training/workload.h"
#include "framework/core/parameters.h"
#include "framework/storage/folder_lock.h"

namespace ordinal::experiments {

/// One training, and an identity for its weights. Trainings with equal identities are shared between rows.
struct Stage {
  Plan plan;
  std::string identity;
  Workload work;
};

struct Entrant {
  Row row;
  std::vector<Stage> stages;  // one, or with fine-tuning two
  std::string tuned = {};     // the values chosen for it, one line

  const Stage& first() const { return stages.front(); }
  const Stage& last() const { return stages.back(); }
  /// The task that it is tested on, that of the first stage.
  const Task& task() const { return *stages.front().plan.task; }

  /// What was tuned, and which lengths it is tested at with its positions scaled by another factor than in its second stage.
  std::vector<std::string> notes() const;
};

/// Makes entrants of rows; equal tasks are built once.
class Entrants {
 public:
  /// Throws ConfigError or DataError for a row that cannot be trained and tested.
  Entrant make(const Row& row);

  /// All tasks, by their texts.
  const std::map<std::string, std::shared_ptr<const Task>>& tasks() const { return tasks_; }
  /// A line for each task with the hash of its data, for require_same().
  std::string data() const;

 private:
  std::shared_ptr<const Task> task_of(const Settings& settings);

  std::map<std::string, std::shared_ptr<const Task>> tasks_;
};

struct Cell {
  const Entrant& entrant;
  std::uint64_t seed = 0;
  LockedPath folder = {};                  // of its result
  std::vector<LockedPath> trainings = {};  // of its stages, which rows may share; none if its model is there
  std::filesystem::path checkpoint = {};   // of its model
  std::vector<std::set<Index>> kept = {};  // by stage, the steps before the last whose weights are kept

  /// "rope seed 1"
  std::string name() const;
  /// What no two cells may write at once: the folder of its first training.
  const LockedPath& place() const { return trainings.empty() ? folder : trainings.front(); }
};

/// A cell with its result in <out>/cells/<row>/seed-<seed>.
Cell cell_in(const LockedPath& out, const Entrant& entrant, std::uint64_t seed);

/// Gives each training of `cells` a folder: that of the first cell that needs it, or of one that began it in an earlier run;
/// and each cell the checkpoint that it scores. A training keeps the weights that any row scores, of whatever seed.
void share_trainings(std::vector<Cell>& cells);

/// The hash by which results name the weights that they belong to.
std::string weights_hash(const Parameters<float>& values);

/// The hash by which a result names the settings.json beside it.
std::string settings_hash(const std::filesystem::path& folder);

/// What a result depends on, as settings.json holds it: the settings of each stage, and evaluate.….
struct CellSettings {
  std::vector<Metadata> stages = {};
  Metadata evaluation = {};
};

/// The content of settings.json; nothing if it is damaged.
std::optional<CellSettings> cell_settings(const std::string& json);

/// The result.json in a folder. Throws DataError, naming both, for a file that does not hold a result, or that was changed
/// since it was written.
CellResult read_cell(const std::filesystem::path& folder);

/// Writes settings.json. A result of other settings is removed first, so that it never stands beside these.
void begin_cell(const Cell& cell);

/// Writes result.json with the hash of the settings.json that it belongs to.
void finish_cell(const Cell& cell, CellResult result);

/// The result of an earlier run, if there is one with the same settings. Throws what read_cell() does.
std::optional<CellResult> finished_result(const Cell& cell);

/// Refuses to mix results: throws ConfigError if the folder holds a cell that was trained with other
/// settings.
void check_folder(const Cell& cell);

/// A result without scores.
CellResult empty_result(const Cell& cell);

/// A result in which every length fails for the same reason, or has no finite score because training diverged.
CellResult failed_result(const Cell& cell, const std::string& why, bool diverged);

}  // namespace ordinal::experiments
