// Scores a trained model at one length.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "experiments/results/result.h"
#include "experiments/settings/plan.h"
#include "experiments/tasks/task.h"
#include "framework/core/threads.h"
#include "models/transformer.h"

namespace ordinal::experiments {

/// A model with its values, the plan that it was built from and the task that it is tested on. `evaluation` holds
/// evaluate.… and the size of a training batch, the same for all rows of an experiment. Validation examples and their random
/// positions are drawn with `validation_seed`, so the spread over seeds includes the choice of examples.
struct Subject {
  const Transformer<float>& model;
  const Parameters<float>& values;
  const Task& task;
  const Plan& plan;
  const Settings& evaluation;
  std::uint64_t validation_seed = 0;
};

/// How many validation examples of `length` are scored: evaluate.batches batches of evaluate.batch sequences. With
/// evaluate.batch = 0, a batch has about as many tokens as a training batch, whatever the length.
Index examples_to_score(const Task& task, const Settings& settings, Index length);

/// These examples, `at_once` in each batch.
std::vector<Examples> validation_batches(const Subject& subject, Index length, Index at_once);

/// Adds a score for each metric to `cell`, on the `batches` of this length. Where the model cannot run at this length or under
/// this condition, these are failed scores with the reason; that is a result, not an error. Throws Stopped soon after `stopped`
/// returns true. Any thread may call `stopped`, every few milliseconds.
void score_length(const Subject& subject, Index length, const std::string& condition,
                  const std::vector<Examples>& batches, Threads& threads, CellResult& cell,
                  const std::function<bool()>& stopped = {});

/// Adds `test` to `cell` for each metric of the task: nothing was scored, and `test` says why.
void add_unscored(const Task& task, Score test, CellResult& cell);

/// A sequence and its positions.
struct PlacedExample {
  Batch batch;
  Positions positions;
};

/// A validation example of `length` with these positions. Throws PositionError if it has none.
PlacedExample validation_example(const Subject& subject, Index length, const PositionScheme& scheme,
                                 std::uint32_t example = 0);

}  // namespace ordinal::experiments
