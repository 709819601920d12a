// Settings and tasks for tests.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "experiments/settings/plan.h"
#include "experiments/tasks/task.h"

namespace ordinal::experiments {

using Values = std::vector<std::pair<std::string, std::string>>;

/// The defaults with these values, given at `origin`.
inline Settings with(const Values& values, const std::string& origin = "test") {
  Settings settings;
  for (const auto& [key, value] : values) settings.set(key, value, origin);
  return settings;
}

inline std::shared_ptr<const Task> task_of(const Settings& settings) {
  return make_task(task_part(settings));
}
inline Plan plan_of(const Settings& settings) { return Plan(settings, task_of(settings)); }

}  // namespace ordinal::experiments
