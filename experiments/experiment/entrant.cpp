#include "experiments/experiment/entrant.h"

#include <fmt/format.h>

#include "experiments/settings/configure.h"
#include "models/adoption.h"
#include "models/transformer.h"

namespace ordinal::experiments {
namespace {

Transformer<float> model_of(const Settings& settings, const Task& task) {
  return Transformer<float>(model_config(settings, task));
}

// `before` identifies the stages that came first.
Stage stage_of(const Settings& settings, const std::shared_ptr<const Task>& task,
               const Transformer<float>& model, const std::string& before) {
  std::string identity = before + task->data_hash();
  for (const auto& [key, value] : described(settings, *task, Binds::training)) {
    identity += fmt::format("\n{} = {}", key, value);
  }
  return {settings, task, identity, model.layout().count(), workload(settings, *task, model)};
}

}  // namespace

std::shared_ptr<const Task> Entrants::task_of(const Settings& settings) {
  const Part part = task_part(settings);
  std::shared_ptr<const Task>& task = tasks_[to_string(part)];
  if (!task) task = make_task(part);
  task->check_length(settings.integer("task.train_length"));
  return task;
}

std::string Entrants::data() const {
  std::string text;
  for (const auto& [name, task] : tasks_) text += fmt::format("data of {} = {}\n", name, task->data_hash());
  return text;
}

Entrant Entrants::make(const Row& row) {
  Entrant entrant{row, {}};
  const auto task = task_of(row.settings);
  const Transformer<float> model = model_of(row.settings, *task);  // throws if it cannot be built
  entrant.stages.push_back(stage_of(row.settings, task, model, ""));
  if (row.settings.integer("finetune.steps") > 0) {
    const Settings settings = finetune_settings(row.settings, *task);
    const auto second_task = task_of(settings);
    const Transformer<float> second = model_of(settings, *second_task);
    check_adoption(model, second);
    entrant.stages.push_back(
        stage_of(settings, second_task, second, entrant.stages.front().identity + "\n\n"));
  }
  for (const Index length : evaluation_lengths(row.settings)) task->check_length(length);
  return entrant;
}

}  // namespace ordinal::experiments
