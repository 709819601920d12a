// The parts of an experiment: entrants (rows with their training stages), cells (an entrant with a
// seed), and the files that hold the result of a cell.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "experiments/experiment/table_rows.h"
#include "experiments/process/folder_lock.h"
#include "experiments/results/result.h"
#include "experiments/settings/plan.h"
#include "experiments/settings/rows.h"
#include "experiments/training/summary.h"
#include "experiments/training/training_run.h"
#include "framework/core/parameters.h"

namespace ordinal::experiments {

/// One training, and an identity for its weights. Rows share trainings with equal identities.
struct Stage {
  Plan plan;
  std::string identity;
  Workload work;
  TableRows rows = {};
};

struct Entrant {
  Row row;
  std::vector<Stage> stages;  // one, or two with fine-tuning
  std::string tuned = {};     // the values chosen for it, one line
  std::map<std::uint64_t, std::string> checkpoints =
      {};  // of models that exist, by seed; empty: it is trained

  const Stage& first() const { return stages.front(); }
  const Stage& last() const { return stages.back(); }
  /// The task that it is tested on: that of the first stage.
  const Task& task() const { return *stages.front().plan.task; }

  /// Throws ConfigError, with the row's label, if a stage of training has no target.
  void check_targets() const;

  /// What was tuned, and rows of tables that tests read and training never changes.
  std::vector<std::string> notes() const;
};

/// Makes entrants from rows; builds equal tasks only once.
class Entrants {
 public:
  /// Throws ConfigError, with the row's label, or DataError for a row that cannot be trained and tested.
  Entrant make(const Row& row);

  /// All tasks, keyed by their texts.
  const std::map<std::string, std::shared_ptr<const Task>>& tasks() const { return tasks_; }

 private:
  std::shared_ptr<const Task> task_of(const Settings& settings);

  std::map<std::string, std::shared_ptr<const Task>> tasks_;
};

struct Cell {
  const Entrant& entrant;
  const Settings& evaluation;  // see Subject
  std::uint64_t seed = 0;
  LockedPath folder = {};                // of its result
  std::vector<Training> trainings = {};  // its stages; none if its model exists
  LockedPath checkpoint = {};            // of its model
  std::filesystem::path initial = {};    // the checkpoint from which the first training starts; empty: none

  /// "rope seed 1"
  std::string name() const;
  /// The folder that only one cell at a time may write: that of its first training.
  const LockedPath& place() const { return trainings.empty() ? folder : trainings.front().folder; }
  /// Whether its settings and its seed say which weights it has.
  bool is_from_scratch() const { return !trainings.empty() && initial.empty(); }
};

/// Gives each training of `cells` a folder: that of a cell that began it in an earlier run, or else of the first cell that
/// needs it. Gives each cell the checkpoint that it scores.
void share_trainings(std::vector<Cell>& cells);

/// The hash that identifies the weights of a result.
std::string weights_hash(const Parameters<float>& values);

/// The result of an earlier run, if there is one with the same settings. Refuses to mix results: throws ConfigError for the
/// result of another training, unless it is a shorter one that this cell continues. Throws DataError, naming the folder, for a
/// file that does not hold a result or was changed after it was written.
std::optional<CellResult> finished_result(const Cell& cell);

/// A result without scores.
CellResult empty_result(const Cell& cell);

/// A result in which every length fails for the same reason, or has no finite score because training diverged.
CellResult failed_result(const Cell& cell, const std::string& why, bool diverged);

/// "accuracy 1.000 at 64": the score at the training length, in the metric that tells whether a model has learned the task, or else in
/// the first headline metric; empty without one.
std::string score_text(const Cell& cell, const CellResult& result);

/// Writes result.json. An earlier result stays until the new one takes its place.
void write_result(const Cell& cell, const CellResult& result);

}  // namespace ordinal::experiments
