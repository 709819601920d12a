#include "experiments/training/workload.h"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/conditions/condition.h"
#include "experiments/scoring/scoring.h"
#include "experiments/training/summary.h"
#include "framework/core/errors.h"
#include "framework/core/text.h"
#include "framework/layers/cross_entropy.h"

namespace ordinal::experiments {
namespace {

// The FLOPs of training on one sequence of a task length.
double flops_of(const Plan& plan, Index length, const Transformer<float>& model) {
  const Index seq_len = plan.task->seq_len(length);
  return static_cast<double>(seq_len) * training_flops_per_token(model, seq_len);
}

double mean_flops(const Plan& plan, const LengthScheme& lengths, const Transformer<float>& model) {
  double mean = 0.0;
  for (const auto& [length, share] : lengths.shares(*plan.task))
    mean += share * flops_of(plan, length, model);
  return mean;
}

// Of all lengths of batches: several short sequences may need more than one that is a little longer.
TrainingMemory largest_training(const Plan& plan, const LengthScheme& lengths,
                                const Transformer<float>& model) {
  const TrainerOptions options = plan.trainer(1);
  const Index batch = plan.settings.integer("train.batch");
  TrainingMemory largest = training_memory(model, options, batch, plan.seq_len());
  for (const auto& [length, share] : lengths.shares(*plan.task)) {
    const TrainingMemory memory = training_memory(model, options, batch, plan.task->seq_len(length));
    largest.run = std::max(largest.run, memory.run);
  }
  return largest;
}

// A batch is tokens, targets, losses and hits. The file holds the values and the optimizer's state; what is read from it
// replaces the values of the model only when all of it has been read.
ScoringMemory scoring_memory(const Plan& plan, const Transformer<float>& model) {
  const Settings& settings = plan.settings;
  const Index length = evaluation_lengths(settings).back();
  ScoringMemory memory{.seq_len = plan.task->seq_len(length),
                       .sequences = examples_to_score(*plan.task, settings, length)};
  const Index piece = longest_piece(plan, model, length);
  memory.sequence_bytes = piece > 0 ? scoring_memory_bytes(model, piece, sizeof(float)) : 0.0;
  const Index at_once = std::min(settings.integer("train.batch"), memory.sequences);
  memory.batch_bytes = static_cast<double>(at_once) * static_cast<double>(memory.seq_len) *
                       static_cast<double>(2 * sizeof(Token) + sizeof(double) + sizeof(char));
  const auto state = make_optimizer<float>(plan.trainer(1).optimizer, ParameterLayout())->state();
  memory.model_bytes = static_cast<double>(3 + std::ssize(state)) *
                       static_cast<double>(model.layout().flat_size()) * sizeof(float);
  return memory;
}

}  // namespace

Index longest_piece(const Plan& plan, const Transformer<float>& model, Index length) {
  Index longest = 0;
  for (const std::string& condition : plan.settings.list("evaluate.conditions")) {
    make_condition(condition);  // throws for options that contradict each other
    try {
      const TestSetup test = test_under(condition, model, *plan.task, plan.test_positions, length);
      longest = std::max(longest, test.windows.size);
    } catch (const ConfigError&) {  // nothing is scored under it
    }
  }
  return std::min(longest, plan.task->seq_len(length));
}

void check_targets(const Plan& plan) {
  constexpr Index most_tokens = 100'000;
  const Index length = training_lengths(plan.settings).longest();
  const Index seq_len = plan.task->seq_len(length);
  for (Index tokens = 0; tokens < most_tokens; tokens += seq_len) {
    const auto example = static_cast<std::uint32_t>(tokens / seq_len);
    const Batch batch = make_batch(*plan.task, Split::training, 1, 0, 1, length, example);
    if (count_targets(batch.targets) > 0) return;
  }
  throw ConfigError(fmt::format(
      "task {}: got length {}, at which no training example has a target, expected a longer one (raise "
      "task.train_length, or finetune.length)",
      task_part(plan.settings).name, length));
}

double ScoringMemory::bytes(int threads, int models) const {
  return models * (batch_bytes + model_bytes) +
         sequence_bytes * static_cast<double>(std::min(Index{threads}, models * sequences));
}

Workload workload(const Plan& plan, const Transformer<float>& model) {
  const Settings& settings = plan.settings;
  Workload work;
  work.parameters = model.layout().count();
  work.constants = model.encoding().constants();
  work.steps = settings.integer("train.steps");
  work.batch = settings.integer("train.batch");
  work.seq_len = plan.seq_len();
  const LengthScheme lengths = training_lengths(settings);
  work.one_length = !lengths.has_long_batches() && !lengths.has_short_batches(*plan.task);
  double sequences = 1.0;  // each factor may be 1e9, more than an integer holds
  for (const Index factor : {work.steps, work.batch, settings.integer("train.accumulate")}) {
    sequences *= static_cast<double>(factor);
  }
  work.flops = sequences * mean_flops(plan, lengths, model);
  work.training = largest_training(plan, lengths, model);
  work.scoring = scoring_memory(plan, model);
  const std::string trained = plan.training_positions.describe(work.seq_len);
  const std::string tested = plan.test_positions.describe(work.scoring.seq_len);
  work.positions = "positions " + trained + (tested == trained ? "" : ", in the test " + tested);
  return work;
}

}  // namespace ordinal::experiments
