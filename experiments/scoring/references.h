// The scores of readers (tasks/reader.h), and the gates that a model must pass to have learned a task.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "experiments/results/result.h"
#include "experiments/settings/settings.h"
#include "experiments/tasks/task.h"

namespace ordinal::experiments {

/// The scores of all readers (reader.h), in their order, but for those that a reader cannot have: accuracies of one that is not certain,
/// bits of one that gives no probabilities. Each length is scored on the validation examples of the first seed.
std::vector<Score> reference_scores(const Task& task, const Settings& settings,
                                    const std::vector<Index>& lengths, std::uint64_t validation_seed);

/// The metric that tells whether a model has learned the task; without one, the first in which rows are compared.
MetricSpec deciding_metric(const Task& task);

/// Throws ConfigError if a threshold is none of the metric of the task's gate, and std::invalid_argument for a gate that names a metric
/// or a reader that does not exist.
void check_gate(const Task& task, double threshold);

/// The gate of a task for models trained at a length, with `threshold` in place of its own if that is not 0; none if the task has none.
/// The threshold may be the score of a reader among `references`, those of this task: NaN if the training length is not tested.
/// Throws what check_gate() throws, and ConfigError for a threshold that the oracle does not reach.
std::optional<LearningGate> learning_gate(const Task& task, Index train_length,
                                          const std::vector<Score>& references, double threshold = 0.0);

}  // namespace ordinal::experiments
