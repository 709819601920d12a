// Scores of baselines that are not models: lines in tables and plots to compare models with.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "experiments/results/result.h"
#include "experiments/settings/settings.h"
#include "experiments/tasks/task.h"

namespace ordinal::experiments {

/// uniform, unigram, bigram and 4-gram, counted on training examples, and, for a task with classes, the
/// oracle; for one that tells contested targets, majority and draw, which ignore order; at each length on the validation examples that models of the first seed are scored on. A hit of
/// the oracle is a target of which it is certain.
std::vector<Reference> reference_scores(const Task& task, const Settings& settings,
                                        const std::vector<Index>& lengths, std::uint64_t validation_seed);

/// The classes of a task's targets on the same examples.
std::vector<TokenClass> class_shares(const Task& task, const Settings& settings,
                                     const std::vector<Index>& lengths, std::uint64_t validation_seed);

/// The gate that all tasks share, with another threshold if that is not 0; none if they have different ones, or one whose
/// threshold a baseline sets. Throws ConfigError for an accuracy above 1.
std::optional<LearningGate> common_gate(const std::vector<const Task*>& tasks, double threshold = 0.0);

/// The gate of a task in the same way, with the threshold set by a baseline if it has one; none if no length is the training
/// length.
std::optional<LearningGate> learning_gate(const Task& task, Index train_length,
                                          const std::vector<Reference>& references, double threshold = 0.0);

}  // namespace ordinal::experiments
