#include "experiments/runs/entrant.h"

#include <fmt/format.h>

#include "experiments/runs/configure.h"
#include "models/adoption.h"
#include "models/transformer.h"

namespace ordinal::experiments {
namespace {

Transformer<float> model_of(const Stage& stage) {
  return Transformer<float>(model_config(stage.settings, *stage.task));
}

}  // namespace

// `before` identifies the stages that came first.
Stage Entrants::stage_of(const Settings& settings, const std::string& before) {
  const Part part = task_part(settings);
  std::shared_ptr<const Task>& task = tasks_[to_string(part)];
  if (!task) task = make_task(part);
  task->check_length(settings.integer("task.train_length"));
  const Transformer<float> model(model_config(settings, *task));  // throws if it cannot be built
  std::string identity = before + task->data_hash();
  for (const auto& [key, value] : described(settings, *task, Binds::training)) {
    identity += fmt::format("\n{} = {}", key, value);
  }
  return {settings, task, identity};
}

Entrant Entrants::make(const Row& row) {
  Entrant entrant{row, {}};
  entrant.stages.push_back(stage_of(row.settings, ""));
  if (row.settings.integer("finetune.steps") > 0) {
    const Stage& first = entrant.stages.front();
    entrant.stages.push_back(stage_of(finetune_settings(row.settings, *first.task), first.identity + "\n\n"));
    check_adoption(model_of(entrant.stages.front()), model_of(entrant.stages.back()));
  }
  for (const Index length : evaluation_lengths(row.settings)) entrant.task().check_length(length);
  return entrant;
}

}  // namespace ordinal::experiments
