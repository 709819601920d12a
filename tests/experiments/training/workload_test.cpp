#include "experiments/training/workload.h"

#include <gtest/gtest.h>

#include "experiments/process/memory.h"
#include "experiments/settings/plan.h"
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
  const Plan plan = plan_of(settings);
  const Transformer<float> model(plan.model);
  const Workload work = workload(plan, model);
  const double per_sequence =
      static_cast<double>(work.seq_len) * training_flops_per_token(model, work.seq_len);
  EXPECT_DOUBLE_EQ(work.flops, 1e27 * per_sequence);
}

std::string way_out_with(const Values& values) {
  const Plan plan = plan_of(with(values));
  return workload(plan, Transformer<float>(plan.model)).way_out;
}

TEST(Workload, NamesWhatLargeTablesOfPositionsHaveTheirRowsFrom) {
  const auto named = [](const std::string& encoding) {
    return way_out_with({{"positional.encoding", encoding}});
  };
  EXPECT_EQ(named("learned(max_seq_len=1000000000)"), "a smaller positional.max_seq_len than 1000000000");
  EXPECT_EQ(named("tupe(embedding=learned(max_seq_len=20000000))"),
            "a smaller positional.max_seq_len than 20000000");
  EXPECT_EQ(named("rope+learned@randomized(max_position=20000000)"),
            "a smaller positional.max_position than 20000000");
  EXPECT_EQ(named("learned@contiguous(offset=3e7)"), "a smaller positional.offset than 30000000");
  EXPECT_EQ(named("shaw(max_distance=1000000)"), "a smaller positional.max_distance than 1000000");
  EXPECT_EQ(named("cope(cope_positions=1000000)"), "a smaller positional.cope_positions than 1000000");
  EXPECT_EQ(way_out_with({{"positional.encoding", "learned"}, {"positional.train_length", "1000000000"}}),
            "a smaller positional.train_length than 1000000000");
  EXPECT_EQ(
      way_out_with({{"positional.encoding", "learned(overflow=untrained)"}, {"evaluate.lengths", "9000000"}}),
      "smaller evaluate.lengths or a smaller task.train_length");
  for (const char* small : {"none", "learned", "rope@randomized(max_position=200000000)"}) {
    EXPECT_EQ(named(small), sizes_of_training) << small;
  }
}

ScoringMemory scoring_with(const Values& values) {
  Values all = {{"task.name", "copy"}, {"positional.encoding", "none"}, {"evaluate.lengths", "1x, 64x"}};
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

TEST(Workload, ScoresCutSequencesInPieces) {
  const double whole = scoring_with({}).sequence_bytes;
  EXPECT_LT(scoring_with({{"evaluate.conditions", "truncated"}}).sequence_bytes, whole / 20);
  EXPECT_EQ(scoring_with({{"evaluate.conditions", "truncated, window"}}).sequence_bytes, whole);
}

}  // namespace
}  // namespace ordinal::experiments
