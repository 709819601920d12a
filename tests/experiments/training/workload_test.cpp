#include "experiments/training/workload.h"

#include <gtest/gtest.h>

#include <cmath>

#include "experiments/settings/plan.h"
#include "experiments/training/summary.h"
#include "framework/core/errors.h"
#include "tests/experiments/with.h"

namespace ordinal::experiments {
namespace {

TEST(Workload, CountsMoreTokensThanAnIntegerHolds) {
  const Settings settings = with({{"task.name", "copy"},
                                  {"task.lengths", "fixed"},
                                  {"model.encoding", "none"},
                                  {"train.steps", "1000000000"},
                                  {"train.batch", "1000000000"},
                                  {"train.accumulate", "1000000000"}});
  const Plan plan = plan_of(settings);
  const Transformer<float> model(plan.model);
  const Workload work = workload(plan, model);
  const double per_sequence =
      static_cast<double>(work.seq_len) * training_flops_per_token(model, work.seq_len);
  EXPECT_DOUBLE_EQ(work.flops, 1e27 * per_sequence);
}

Plan plan_with_lengths(const std::string& task, const std::string& lengths) {
  return plan_of(with({{"task.name", task},
                       {"task.train_length", "10"},
                       {"task.lengths", lengths},
                       {"model.encoding", "none"},
                       {"train.steps", "2000"}}));
}

Workload work_of(const std::string& task, const std::string& lengths) {
  const Plan plan = plan_with_lengths(task, lengths);
  return workload(plan, Transformer<float>(plan.model));
}

TEST(Workload, CountsTheOperationsOfLongBatchesByTheirShare) {
  const Workload fixed = work_of("language", "fixed");
  EXPECT_TRUE(fixed.one_length);
  const Workload all_long = work_of("language", "mixed(longest=40, share=1)");
  const Workload some_long = work_of("language", "mixed(longest=40, share=0.25)");
  EXPECT_EQ(some_long.seq_len, 40);
  EXPECT_FALSE(some_long.one_length);
  EXPECT_EQ(some_long.training.bytes(1), all_long.training.bytes(1));  // the longest batch counts
  EXPECT_GT(some_long.training.bytes(1), fixed.training.bytes(1));
  const double extra = (some_long.flops - fixed.flops) / (all_long.flops - fixed.flops);
  EXPECT_NEAR(extra, 0.25, 4.5 * std::sqrt(0.25 * 0.75 / 2000));
}

// Batches of 32 sequences; copy(n) has 2n + 1 tokens.
TEST(Workload, CountsTheOperationsOfEachLengthThatIsDrawn) {
  const Plan plan = plan_with_lengths("language", "growing(from=2, until=1)");
  const Transformer<float> model(plan.model);
  const auto of_sequence = [&](Index tokens) {
    return static_cast<double>(tokens) * training_flops_per_token(model, tokens);
  };
  double growing = 0.0;
  for (Index step = 0; step < 2000; ++step) growing += 32.0 * of_sequence(2 + 8 * step / 1999);
  const Workload work = workload(plan, model);
  EXPECT_NEAR(work.flops / growing, 1.0, 1e-9);
  EXPECT_NEAR(work.training.bytes(1) / work_of("language", "fixed").training.bytes(1), 1.0, 0.02);
  const Workload copy = work_of("copy", "auto");
  EXPECT_EQ(copy.seq_len, 21);
  EXPECT_NEAR(copy.flops / work_of("copy", "fixed").flops, 12.0 / 21.0, 0.03);
}

// Sequences of 256 tokens keep the weights of attention for backward, longer ones do not.
TEST(Workload, CountsTheMemoryOfTheLengthThatNeedsMost) {
  const auto run_with = [](const std::string& lengths, const std::string& longest) {
    const Plan plan = plan_of(with({{"task.name", "language"},
                                    {"task.train_length", longest},
                                    {"task.lengths", lengths},
                                    {"model.d_model", "16"},
                                    {"model.encoding", "none"},
                                    {"train.steps", "2000"}}));
    return workload(plan, Transformer<float>(plan.model)).training.run;
  };
  EXPECT_GT(run_with("fixed", "256"), 1.5 * run_with("fixed", "300"));
  EXPECT_EQ(run_with("uniform", "300"), run_with("fixed", "256"));
}

ScoringMemory scoring_with(const Values& values) {
  Values all = {{"task.name", "copy"}, {"model.encoding", "none"}, {"evaluate.lengths", "1x, 64x"}};
  all.insert(all.end(), values.begin(), values.end());
  const Plan plan = plan_of(with(all));
  return workload(plan, Transformer<float>(plan.model)).scoring;
}

TEST(Workload, ScoresTheLongestLengthOnEachThread) {
  const ScoringMemory memory = scoring_with({{"evaluate.batches", "1"}, {"evaluate.batch", "3"}});
  EXPECT_EQ(memory.seq_len, scoring_with({{"evaluate.lengths", "64x"}}).seq_len);
  EXPECT_EQ(memory.sequences, 3);
  EXPECT_EQ(memory.bytes(2) - memory.bytes(1), memory.sequence_bytes);
  EXPECT_EQ(memory.bytes(8), memory.bytes(3)) << "no thread without a sequence";
}

// The file with the optimizer's state, what is read from it, and the model: five blocks of parameters.
TEST(Workload, ScoresAModelThatIsReadFromItsFile) {
  const Plan plan = plan_of(with({{"task.name", "copy"}, {"model.encoding", "none"}}));
  const Transformer<float> model(plan.model);
  const ScoringMemory memory = workload(plan, model).scoring;
  EXPECT_EQ(memory.model_bytes, 20.0 * static_cast<double>(model.layout().flat_size()));
  EXPECT_EQ(memory.bytes(4, 2) - memory.bytes(4), memory.model_bytes + memory.batch_bytes);
}

TEST(Workload, ScoresCutSequencesInPieces) {
  const auto bytes = [](const std::string& conditions, const std::string& task = "language") {
    return scoring_with({{"task.name", task}, {"evaluate.conditions", conditions}}).sequence_bytes;
  };
  EXPECT_GT(bytes("truncated"), 0.0);
  EXPECT_LT(bytes("truncated"), bytes("trained") / 20);
  EXPECT_EQ(bytes("truncated, window"), bytes("trained"));
  EXPECT_EQ(bytes("truncated", "copy"), 0.0) << "nothing is scored: it needs a score for every token";
}

TEST(Workload, RefusesATaskWhoseTrainingHasNoTarget) {
  const auto check = [](const std::string& lengths) {
    check_targets(plan_of(with({{"task.name", "latest"},
                                {"task.train_length", "3"},
                                {"task.lengths", lengths},
                                {"model.encoding", "none"}})));
  };
  EXPECT_THROW(check("fixed"), ConfigError);
  check("mixed(longest=200)");
}

// A contradiction in a condition is found before anything is trained.
TEST(Workload, RefusesAConditionThatContradictsItself) {
  EXPECT_THROW(scoring_with({{"evaluate.conditions", "trained, truncated(size=8, stride=9)"}}), ConfigError);
}

}  // namespace
}  // namespace ordinal::experiments
