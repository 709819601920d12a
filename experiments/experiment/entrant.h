// A row of an experiment with its stages of training, each with its settings and its task.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "experiments/settings/plan.h"
#include "experiments/settings/rows.h"
#include "experiments/training/workload.h"

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

}  // namespace ordinal::experiments
