#include "experiments/process/memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/sysinfo.h>

#include "framework/core/errors.h"
#include "framework/training/evaluation.h"
#include "framework/training/trainer.h"
#include "models/summary.h"
#include "tests/framework/storage/scratch_folder.h"
#include "tests/framework/training/small_model.h"

namespace ordinal::experiments {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

double swap() {
  struct sysinfo machine {};
  ::sysinfo(&machine);
  return static_cast<double>(machine.totalswap) * static_cast<double>(machine.mem_unit);
}

// A root with the control groups of the process and limits of some of them.
MemoryLimit limit_with(const std::string& groups,
                       const std::vector<std::pair<std::string, std::string>>& limits) {
  const ScratchFolder root;
  std::filesystem::create_directories(root / "proc/self");
  write_raw(root / "proc/self/cgroup", groups);
  for (const auto& [file, value] : limits) {
    const auto path = root / ("sys/fs/cgroup/" + file);
    std::filesystem::create_directories(path.parent_path());
    write_raw(path, value + "\n");
  }
  return memory_limit(root.path());
}

TEST(MemoryLimit, IsTheMachinesWithoutControlGroups) {
  EXPECT_EQ(limit_with("", {}).source, "the machine has");
  EXPECT_GT(limit_with("", {}).bytes, 1e6);
  EXPECT_EQ(limit_with("0::/\n", {{"memory.max", "max"}}).source, "the machine has");
}

TEST(MemoryLimit, IsTheLowestOfTheControlGroupsAbove) {
  const MemoryLimit v2 = limit_with("0::/user/job\n", {{"user/job/memory.max", "max"},
                                                       {"user/memory.max", "2000000"},
                                                       {"user/other/memory.max", "1000"},
                                                       {"memory.max", "5000000"}});
  EXPECT_EQ(v2.bytes, 2e6 + swap());
  EXPECT_EQ(v2.source, "the control group of this process may use");
}

TEST(MemoryLimit, RefusesWhatCertainlyExceedsIt) {
  const MemoryLimit limit{3e9, "the machine has"};
  EXPECT_NO_THROW(check_memory(3.9e9, sizes_of_training, limit));
  EXPECT_THAT([&] { check_memory(4.1e9, sizes_of_training, limit); },
              ThrowsMessage<ConfigError>(
                  HasSubstr("training needs about 4.1 GB, the machine has 3.0 GB; use a smaller")));
}

TEST(MemoryLimit, LowersTheNumberOfTrainingsAtOnce) {
  const MemoryLimit limit{8e9, ""};
  EXPECT_EQ(jobs_that_fit(1e9, 0, limit), 4) << "half of the memory, if nobody asks for more";
  EXPECT_EQ(jobs_that_fit(1e9, 6, limit), 6);
  EXPECT_EQ(jobs_that_fit(1e9, 20, limit), 8);
  EXPECT_EQ(jobs_that_fit(9e9, 20, limit), 1);
}

TEST(MemoryLimit, RefusesScoringThatDoesNotFitBesideTraining) {
  const MemoryLimit limit{3e9, "the machine has"};
  EXPECT_NO_THROW(check_scoring_memory(1e9, 2.9e9, 65536, limit));
  EXPECT_THAT([&] { check_scoring_memory(1e9, 3.1e9, 65536, limit); },
              ThrowsMessage<ConfigError>(
                  HasSubstr("out of memory: scoring 65536 tokens needs about 3.1 GB beside 1.0 GB of "
                            "training, the machine has 3.0 GB; use smaller evaluate.lengths")));
  EXPECT_THAT([&] { check_scoring_memory(0, 4.1e9, 65536, limit); },
              ThrowsMessage<ConfigError>(HasSubstr("about 4.1 GB, the machine has 3.0 GB; use smaller "
                                                   "evaluate.lengths, or fewer --threads")));
}

// What training_memory_bytes() estimates, over what a trainer holds after a step.
double estimated(const std::string& block, const std::string& encoding, Index d_model, Index batch,
                 Index seq_len, const std::string& optimizer = "adamw") {
  ModelConfig config = ordinal::testing::small_config();
  config.d_model = d_model;
  config.block = block;
  config.encoding = encoding;
  const Transformer<float> model(config);
  Threads threads(1);
  const Index shards = default_shards(batch, seq_len);
  TrainerOptions options;
  options.shards = shards;
  options.optimizer = optimizer;
  Trainer<float> trainer(model, options, threads);
  const Batch examples = ordinal::testing::random_batch(batch, seq_len, 0);
  trainer.step({&examples, 1});
  return training_memory_bytes(model, batch, seq_len, shards, sizeof(float)) /
         static_cast<double>(trainer.memory_bytes());
}

// Otherwise a training that fits would be refused.
TEST(MemoryLimit, TheEstimateIsNotMuchMoreThanATrainerHolds) {
  constexpr double most = 1.0 / 0.75;
  for (const char* encoding :
       {"none", "rope", "t5", "shaw", "cope", "fire", "transformer_xl", "learned(max_seq_len=512)"}) {
    EXPECT_LE(estimated("attention,feed_forward", encoding, 16, 8, 128), most) << encoding;
  }
  for (const char* block : {"lstm", "gated_linear", "linear_attention,feed_forward", "conv,feed_forward"}) {
    EXPECT_LE(estimated(block, "none", 16, 8, 128), most) << block;
  }
  EXPECT_LE(estimated("attention,feed_forward", "rope", 256, 1, 8), most);
  EXPECT_LE(estimated("attention,feed_forward", "rope", 256, 1, 8, "sgd"), most);
  EXPECT_LE(estimated("attention,feed_forward", "rope", 64, 64, 64), most);
}

// What scoring_memory_bytes() estimates, over what an evaluator holds after a sequence.
double estimated_in_scoring(const std::string& block, const std::string& encoding, Index d_model,
                            Index seq_len, Index layers = 2) {
  ModelConfig config = ordinal::testing::small_config();
  config.d_model = d_model;
  config.block = block;
  config.encoding = encoding;
  config.layers = layers;
  const Transformer<float> model(config);
  Parameters<float> values(model.layout());
  initialize(values, 1);
  Threads threads(1);
  Evaluator<float> evaluator(model, values, threads);
  evaluator.score(ordinal::testing::random_batch(1, seq_len, 0));
  evaluator.score(ordinal::testing::random_batch(1, seq_len, 0));  // in one piece of memory
  return scoring_memory_bytes(model, seq_len, sizeof(float)) / static_cast<double>(evaluator.memory_bytes());
}

// Neither is scoring refused that fits, nor is most of what it needs forgotten.
TEST(MemoryLimit, TheEstimateIsCloseToWhatScoringHolds) {
  const auto close = [](double ratio) { return ratio > 0.6 && ratio < 1.0 / 0.75; };
  const auto expect_close = [&](const std::string& block, const std::string& encoding, Index d_model,
                                Index seq_len, Index layers) {
    const double ratio = estimated_in_scoring(block, encoding, d_model, seq_len, layers);
    EXPECT_TRUE(close(ratio)) << block << ", " << encoding << ", d_model " << d_model << ", length "
                              << seq_len << ": " << ratio;
  };
  for (const char* encoding : {"none", "sinusoidal", "rope", "alibi", "t5", "shaw", "cope", "fire"}) {
    expect_close("attention,feed_forward", encoding, 64, 1024, 2);
  }
  for (const char* block : {"lstm", "gated_linear", "linear_attention,feed_forward", "conv,feed_forward"}) {
    expect_close(block, "none", 64, 1024, 2);
  }
  expect_close("attention,feed_forward", "rope", 128, 2048, 6);
  expect_close("feed_forward(ff=1024)", "none", 64, 2048, 1);
}

}  // namespace
}  // namespace ordinal::experiments
