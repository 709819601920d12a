#include "experiments/runs/workload.h"

#include <fmt/format.h>

#include "experiments/runs/configure.h"
#include "models/summary.h"

namespace ordinal::experiments {

std::string Workload::positions() const {
  const bool same = training_positions == test_positions;
  return fmt::format("positions {}{}", training_positions, same ? "" : ", in the test " + test_positions);
}

Workload workload(const Settings& settings, const Task& task, const Transformer<float>& model) {
  Workload work;
  work.steps = settings.integer("train.steps");
  work.batch = settings.integer("train.batch");
  work.seq_len = task.seq_len(settings.integer("task.train_length"));
  double tokens = 1.0;  // each factor may be 1e9, more than an integer holds
  for (const Index factor : {work.steps, work.batch, settings.integer("train.accumulate"), work.seq_len}) {
    tokens *= static_cast<double>(factor);
  }
  work.flops = tokens * training_flops_per_token(model, work.seq_len);
  const Index shards = trainer_options(settings, work.seq_len, 1).shards;
  work.memory_bytes = training_memory_bytes(model, work.batch, work.seq_len, shards, sizeof(float));
  const Index longest = task.seq_len(evaluation_lengths(settings).back());
  work.training_positions = training_positions(settings, task).describe(work.seq_len);
  work.test_positions = test_positions(settings, task).describe(longest);
  return work;
}

}  // namespace ordinal::experiments
