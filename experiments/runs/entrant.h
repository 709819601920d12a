// A row that takes part in an experiment: its stages of training, each with its settings and its task.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "experiments/settings/rows.h"
#include "experiments/tasks/task.h"

namespace ordinal::experiments {

/// One training: the settings that it runs with, its task, and what identifies its weights. Rows whose
/// trainings have equal identities share one.
struct Stage {
  Settings settings;
  std::shared_ptr<const Task> task;
  std::string identity;
};

struct Entrant {
  Row row;
  std::vector<Stage> stages;  // one, or with fine-tuning two
  std::string tuned = {};     // what was chosen for it, one line

  const Stage& last() const { return stages.back(); }
  /// The task that it is tested on, that of the first stage.
  const Task& task() const { return *stages.front().task; }
};

/// Makes entrants of rows; tasks that are the same are made once.
class Entrants {
 public:
  /// Throws ConfigError or DataError for a row that cannot be trained and tested.
  Entrant make(const Row& row);

  /// All tasks, by their texts.
  const std::map<std::string, std::shared_ptr<const Task>>& tasks() const { return tasks_; }

 private:
  Stage stage_of(const Settings& settings, const std::string& before);

  std::map<std::string, std::shared_ptr<const Task>> tasks_;
};

}  // namespace ordinal::experiments
