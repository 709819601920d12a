// Scores of baselines that are not models: lines in tables and plots to compare models with.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "experiments/results/result.h"
#include "experiments/settings/settings.h"
#include "experiments/tasks/task.h"

namespace ordinal::experiments {

/// The baselines, in `row`: uniform, unigram, bigram and 4-gram, counted on training examples. For a task that labels its targets
/// also the oracle, which hits those it is certain of; for one with near and far metrics also majority and draw, which ignore order, and
/// "last 64", which is right where the source lies within the last 64 tokens (the training length) and else guesses as draw
/// does. Each length is scored on the validation examples of the first seed.
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
