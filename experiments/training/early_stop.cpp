#include "experiments/training/early_stop.h"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/tasks/metric.h"
#include "framework/core/errors.h"
#include "framework/training/evaluation.h"

namespace ordinal::experiments {
namespace {

Index exact_examples(const Batch& batch, const TokenScores& scores) {
  Index exact = 0;
  for (Index i = 0; i < batch.size; ++i) {
    bool is_right = true;
    for (Index t = i * batch.seq_len; t < (i + 1) * batch.seq_len; ++t) {
      const auto at = static_cast<std::size_t>(t);
      is_right = is_right && (batch.targets[at] == ignore_index || scores.hits[at] != 0);
    }
    exact += is_right ? 1 : 0;
  }
  return exact;
}

}  // namespace

void check_early_stop(const Plan& plan) {
  const std::vector<MetricSpec> metrics = plan.task->metrics();
  if (plan.settings->train.stop_at == 0.0 ||
      std::ranges::count(metrics, Measure::exact, &MetricSpec::measure) > 0)
    return;
  throw ConfigError(fmt::format(
      "train.stop_at: got {}, but task {} does not score exact answers; expected 0, or another task",
      plan.settings.text("train.stop_at"), task_part(plan.settings).name));
}

bool may_stop_at(const Settings& settings, Index step) {
  return settings->train.stop_at > 0.0 && step > 0 && step % settings->train.stop_every == 0;
}

double exact_share(const Plan& plan, const Transformer<float>& model, const Parameters<float>& values,
                   std::uint64_t validation_seed, Threads& threads) {
  const Task& task = *plan.task;
  const Index length = plan.settings->task.train_length;
  const Index count = std::min(stop_examples, task.evaluation_examples(length));
  const PositionScheme& positions = plan.training_positions;
  Evaluator<float> evaluator(model, values, threads, positions);
  Index exact = 0;
  for (Index first = 0; first < count; first += plan.settings->train.batch) {
    const Index size = std::min(plan.settings->train.batch, count - first);
    const auto example = static_cast<std::uint32_t>(first);
    const Batch batch = with_positions(
        make_batch(task, Split::validation, validation_seed, 0, size, length, example), task, positions);
    exact += exact_examples(batch, evaluator.score(batch, validation_positions(validation_seed, example)));
  }
  return static_cast<double>(exact) / static_cast<double>(count);
}

}  // namespace ordinal::experiments
