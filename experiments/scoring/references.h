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

/// The gate that all tasks share, with `threshold` in place of its own if that is not 0; none if they differ, or if a baseline
/// sets it. Throws ConfigError for an accuracy above 1.
std::optional<LearningGate> common_gate(const std::vector<const Task*>& tasks, double threshold = 0.0);

/// The same for one task, whose threshold a baseline may set; none if no length is the training length. Throws ConfigError, too,
/// for a threshold that the oracle does not reach.
std::optional<LearningGate> learning_gate(const Task& task, Index train_length,
                                          const std::vector<Score>& references, double threshold = 0.0);

}  // namespace ordinal::experiments
