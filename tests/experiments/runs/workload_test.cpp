#include "experiments/runs/workload.h"

#include <gtest/gtest.h>

#include "experiments/runs/configure.h"
#include "models/summary.h"
#include "tests/experiments/with.h"

namespace ordinal::experiments {
namespace {

TEST(Workload, CountsMoreTokensThanAnIntegerHolds) {
  const Settings settings = with({{"task.name", "copy"},
                                  {"positional.encoding", "none"},
                                  {"train.steps", "1000000000"},
                                  {"train.batch", "1000000000"},
                                  {"train.accumulate", "1000000000"}});
  const auto task = task_of(settings);
  const Transformer<float> model(model_config(settings, *task));
  const Workload work = workload(settings, *task, model);
  const double per_sequence =
      static_cast<double>(work.seq_len) * training_flops_per_token(model, work.seq_len);
  EXPECT_DOUBLE_EQ(work.flops, 1e27 * per_sequence);
}

}  // namespace
}  // namespace ordinal::experiments
