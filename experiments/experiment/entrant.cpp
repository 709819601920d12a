#include "experiments/experiment/entrant.h"

#include <fmt/format.h>

#include "experiments/settings/choices.h"
#include "models/adoption.h"
#include "models/transformer.h"

namespace ordinal::experiments {
namespace {

// `before` identifies the stages that came first.
Stage stage_of(Plan plan, const Transformer<float>& model, const std::string& before) {
  std::string identity = before + plan.task->data_hash();
  for (const auto& [key, value] : plan.text(Binds::training))
    identity += fmt::format("\n{} = {}", key, value);
  const Workload work = workload(plan, model);
  return {std::move(plan), identity, work};
}

bool is_scaled(const PositionScheme& scheme) {
  return scheme.kind == PositionScheme::Kind::interpolated || (scheme.stretches() && !scheme.is_dynamic());
}

}  // namespace

std::vector<std::string> Entrant::notes() const {
  std::vector<std::string> notes;
  if (!tuned.empty()) notes.push_back(tuned);
  const Plan& plan = last().plan;
  if (stages.size() == 1 || !is_scaled(plan.training_positions) || !is_scaled(plan.test_positions))
    return notes;
  const double trained = stretch_factor(plan.training_positions, plan.seq_len());
  std::vector<std::string> others;
  for (const Index length : evaluation_lengths(row.settings)) {
    const double scale = stretch_factor(plan.test_positions, task().seq_len(length));
    if (scale != trained) others.push_back(fmt::format("{:.4g} at {}", scale, length));
  }
  if (others.empty()) return notes;
  notes.push_back(
      fmt::format("{} was fine-tuned with its positions scaled by {:.4g}, and is tested with other scales "
                  "({}); scale={:.4g} in its "
                  "positions keeps the scale",
                  row.label, trained, joined(others), trained));
  return notes;
}

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
  const Plan plan(row.settings, task_of(row.settings));
  const Transformer<float> model(plan.model);  // throws if it cannot be built
  entrant.stages.push_back(stage_of(plan, model, ""));
  if (row.settings.integer("finetune.steps") > 0) {
    const Settings settings = plan.second_stage();
    const Plan second(settings, task_of(settings));
    const Transformer<float> second_model(second.model);
    check_adoption(model, second_model);
    entrant.stages.push_back(stage_of(second, second_model, entrant.first().identity + "\n\n"));
  }
  for (const Index length : evaluation_lengths(row.settings)) entrant.task().check_length(length);
  return entrant;
}

}  // namespace ordinal::experiments
