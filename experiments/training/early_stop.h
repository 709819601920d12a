// train.stop_at: a training that ends before its last step, once the model answers as well as asked.
#pragma once

#include <cstdint>

#include "experiments/settings/plan.h"
#include "framework/core/threads.h"
#include "models/transformer.h"

namespace ordinal::experiments {

/// The number of validation examples of the training length that decide: the first of those that scoring reads.
inline constexpr Index stop_examples = 2000;

/// Throws ConfigError if training may stop early, and the task does not count right examples.
void check_early_stop(const Plan& plan);

/// Whether the model is to be tested after this step.
bool may_stop_at(const Settings& settings, Index step);

/// The share of these examples whose targets the model predicts all, at the positions of training.
double exact_share(const Plan& plan, const Transformer<float>& model, const Parameters<float>& values,
                   std::uint64_t validation_seed, Threads& threads);

}  // namespace ordinal::experiments
