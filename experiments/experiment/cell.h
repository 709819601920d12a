// The parts of an experiment: entrants (rows with their training stages), cells (an entrant with a
// seed), and the files that hold the result of a cell.
#pragma once

#include <fmt/format.h>

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

/// One training, and a line for each setting that its weights depend on, after those of earlier stages.
struct Stage {
  Plan plan;
  std::string text;  // but for the number of steps
  Workload work;
  bool is_tested_as_trained = true;  // so the checkpoint of the training says how its row is tested
  TableRows rows = {};

  std::string whole_text() const {
    return text + fmt::format("train.steps = {}\n", plan.settings->train.steps);
  }
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
  /// What only one process at a time may write: the folder of its first training.
  const LockedPath& place() const { return trainings.empty() ? folder : trainings.front().folder; }
};

/// Gives each training of `cells` its folder, <out>/trainings/<hash>-<steps>, where the hash is of all that its weights depend on,
/// and each cell the checkpoint that it scores.
void place_trainings(std::vector<Cell>& cells, const LockedPath& out);

/// The hash that identifies the weights of a result.
std::string weights_hash(const Parameters<float>& values);

/// The result of an earlier run, if there is one that depends on the same settings. Throws DataError, naming the folder, for a file
/// that does not hold a result or was changed after it was written.
std::optional<CellResult> finished_result(const Cell& cell);

/// A result without scores.
CellResult empty_result(const Cell& cell);

/// A result in which every length fails for the same reason, or has no finite score because training diverged.
CellResult failed_result(const Cell& cell, const std::string& why, bool diverged);

/// "accuracy 1.000 at 64": the score at the training length, in the metric that tells whether a model has learned the task, or else in
/// the first headline metric; empty without one.
std::string score_text(const Cell& cell, const CellResult& result);

/// Links to the log of the last training from the folder of the result, and to its checkpoint if that says how the row is tested. Copies
/// them where there are no links.
void link_training(const Cell& cell);

/// Writes result.json, and links to the training. An earlier result stays until the new one takes its place.
void write_result(const Cell& cell, const CellResult& result);

}  // namespace ordinal::experiments
