#include "framework/training/trainer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>

#include "framework/core/errors.h"
#include "framework/training/evaluation.h"
#include "tests/framework/largest_difference.h"
#include "tests/framework/training/small_model.h"
#include "tests/message_of.h"

namespace ordinal::testing {
namespace {

using ::testing::HasSubstr;

// Losses of all steps, then all parameters.
std::vector<float> trained(int thread_count, Index shards, double dropout, int steps = 6) {
  SmallTraining training(options_with(shards), small_config(dropout), thread_count);
  std::vector<float> outcome;
  for (int step = 0; step < steps; ++step)
    outcome.push_back(
        static_cast<float>(training.step(random_batch(6, 9, static_cast<std::uint32_t>(step))).loss));
  const std::vector<float> values = training.values();
  outcome.insert(outcome.end(), values.begin(), values.end());
  return outcome;
}

std::vector<double> gradient_of(const ModelRig<>& rig, Index shards, std::span<const Batch> batches,
                                const PositionScheme& scheme = {}) {
  Threads threads(2);
  BatchGradient<double> gradient(rig.model, rig.values, shards, threads, scheme);
  gradient.compute(batches, {.seed = 7, .step = 3});
  return {gradient.gradients().flat().begin(), gradient.gradients().flat().end()};
}

ModelConfig with_encoding(const std::string& encoding) {
  ModelConfig config = small_config();
  config.encoding = encoding;
  return config;
}

// Rows of a table past the training length: no gradient, and no weight decay.
TEST(Trainer, LeavesRowsThatNoTokenReadsAtTheirInitialValues) {
  ModelConfig config = with_encoding("learned(overflow=untrained)");
  config.longest = 20;
  for (const std::string optimizer : {"adamw(weight_decay=0.5)", "sgd(weight_decay=0.5)"}) {
    TrainerOptions options = options_with(1);
    options.optimizer = optimizer;
    config.train_length = 9;
    SmallTraining training(options, config);
    const std::string name = "positional.learned.table";
    const View<const float> table = training.trainer.values()[name];
    const std::vector<float> before(table.data, table.data + table.size());
    for (std::uint32_t step = 0; step < 5; ++step) training.step(random_batch(6, 9, step));
    const View<const float> after = training.trainer.values()[name];
    for (Index r = 0; r < 20; ++r) {
      const auto row = before.begin() + r * after.cols;
      EXPECT_EQ(std::equal(row, row + after.cols, after.row(r)), r >= 9) << optimizer << " row " << r;
    }
  }
}

TEST(Trainer, OneTwoAndThreeThreadsGiveEqualBits) {
  for (const Index shards : {1, 4, 8}) {
    const std::vector<float> one = trained(1, shards, 0.1);
    EXPECT_EQ(one, trained(2, shards, 0.1)) << shards << " shards";
    EXPECT_EQ(one, trained(3, shards, 0.1)) << shards << " shards";
  }
}

TEST(Trainer, AnotherSeedGivesAnotherModel) {
  TrainerOptions other = options_with(1);
  other.seed = 2;
  EXPECT_NE(SmallTraining().values(), SmallTraining(other).values());
}

// 7 sequences do not divide by 2, 4 or 8. Of 60 tokens, a shard of 7 is worked through in parts of 4 and 3, a shard of one at once.
TEST(BatchGradient, DoesNotDependOnShardsAndTheirPartsButForRounding) {
  EXPECT_EQ(sequences_at_once(60), 4);
  EXPECT_EQ(sequences_at_once(128), 2);
  EXPECT_EQ(sequences_at_once(129), 1);
  EXPECT_EQ(sequences_at_once(1000), 1);
  const ModelRig<> dropping(small_config(0.2));
  const ModelRig<> plain(with_encoding("sinusoidal"));
  const PositionScheme random = make_position_scheme("randomized(max_position=500)");
  for (const Index length : {9, 60}) {
    const Batch batch = random_batch(7, length, 0);
    const std::vector<double> dropped = gradient_of(dropping, 1, {&batch, 1});
    const std::vector<double> placed = gradient_of(plain, 1, {&batch, 1}, random);
    for (const Index shards : {2, 4, 8}) {
      EXPECT_LT(largest_difference(dropped, gradient_of(dropping, shards, {&batch, 1})), 1e-14) << shards;
      EXPECT_LT(largest_difference(placed, gradient_of(plain, shards, {&batch, 1}, random)), 1e-14) << shards;
    }
  }
}

// With dropout: an example has the mask of its place in the whole batch.
TEST(BatchGradient, AccumulatedBatchesEqualOneLargeBatch) {
  const ModelRig<> rig(small_config(0.2));
  const std::vector<Batch> parts = {random_batch(2, 9, 0), random_batch(2, 9, 1), random_batch(2, 9, 2)};
  Batch whole{6, 9, {}, {}};
  for (const Batch& part : parts) {
    whole.tokens.insert(whole.tokens.end(), part.tokens.begin(), part.tokens.end());
    whole.targets.insert(whole.targets.end(), part.targets.begin(), part.targets.end());
  }
  const auto in_parts = gradient_of(rig, 2, parts);
  EXPECT_LT(largest_difference(in_parts, gradient_of(rig, 2, {&whole, 1})), 1e-14);
}

TEST(BatchGradient, IgnoredTargetsCarryNothing) {
  const ModelRig<> rig(small_config());
  Batch batch = random_batch(2, 9, 0);
  std::ranges::fill(batch.targets, ignore_index);
  const auto gradient = gradient_of(rig, 1, {&batch, 1});
  EXPECT_TRUE(std::ranges::all_of(gradient, [](double g) { return g == 0.0; }));
}

TEST(DefaultShards, KeepAShardNearAThousandTokensAndNeverCutASequence) {
  EXPECT_EQ(default_shards(32, 64), 2);
  EXPECT_EQ(default_shards(16, 64), 1);
  EXPECT_EQ(default_shards(16, 65), 2);
  EXPECT_EQ(default_shards(4, 16), 1);
  EXPECT_EQ(default_shards(2, 100'000), 2);
  EXPECT_EQ(default_shards(1, 100'000), 1);
}

// The error for a batch from each function that reads one; also checks that the messages agree.
template <typename Error>
void expect_refused(const Batch& batch, const std::string& text) {
  SmallTraining training(options_with(2));
  const std::vector<float> before = training.values();
  EXPECT_THAT(message_of<Error>([&] { training.step(batch); }), HasSubstr(text));
  EXPECT_EQ(before, training.values());
  EXPECT_EQ(training.trainer.steps(), 0);
  Evaluator<float> evaluator(training.model, training.trainer.values(), training.threads);
  EXPECT_THAT(message_of<Error>([&] { evaluator.score(batch); }), HasSubstr(text));
}

TEST(Batch, OfAnotherSizeThanItsTokensOrOfNoneIsReported) {
  Batch short_of_tokens = random_batch(4, 20, 0);
  Batch with_one_target_more = short_of_tokens;
  short_of_tokens.tokens.resize(70);
  with_one_target_more.targets.push_back(0);
  for (const auto& [batch, text] :
       {std::pair<Batch, std::string>{
            short_of_tokens, "got 70 tokens and 80 targets, expected 80 of each (size 4 times seq_len 20)"},
        {with_one_target_more, "got 80 tokens and 81 targets"},
        {{4, 20, {}, {}}, "got 0 tokens and 0 targets"},
        {{0, 20, {}, {}}, "got size 0 and seq_len 20"},
        {{4, 0, {}, {}}, "got size 4 and seq_len 0"},
        {{-1, -1, {0}, {0}}, "got size -1 and seq_len -1"}})
    expect_refused<std::invalid_argument>(batch, text);
  EXPECT_THAT(message_of<std::invalid_argument>([] { SmallTraining().trainer.step({}); }),
              HasSubstr("got no batch"));
}

TEST(Batch, WithNumbersOutsideOfTheVocabularyIsReported) {
  Batch batch = random_batch(4, 20, 0);
  for (const auto& [token, target, text] :
       {std::tuple{11, 0, "got token 11 at row 2, column 3, expected 0 to 10 (vocab_size 11)"},
        {-1, 0, "got token -1 at row 2, column 3"},
        {10, -100, "got target -100 at row 3, column 19, expected 0 to 10 (vocab_size 11), or -1"}}) {
    batch.tokens[43] = token;
    batch.targets[79] = target;
    expect_refused<DataError>(batch, text);
  }
}

TEST(Evaluator, GivesTheLossOfTraining) {
  const ModelRig<> rig(small_config());
  const Batch batch = random_batch(5, 9, 0);
  Threads threads(2);
  BatchGradient<double> gradient(rig.model, rig.values, 2, threads);
  const double trained_loss = gradient.compute({&batch, 1}, {});
  const TokenScores scores = Evaluator<double>(rig.model, rig.values, threads).score(batch);
  double total = 0.0;
  double count = 0.0;
  for (std::size_t i = 0; i < batch.targets.size(); ++i) {
    total += scores.losses[i];
    count += batch.targets[i] == ignore_index ? 0.0 : 1.0;
  }
  EXPECT_NEAR(total / count, trained_loss, 1e-12);
}

TEST(Evaluator, DrawsRandomPositionsByTheNumberOfTheExample) {
  const ModelRig<> rig(small_config());
  Threads threads(1);
  const PositionScheme scheme = make_position_scheme("randomized(max_position=60)");
  Evaluator<double> evaluator(rig.model, rig.values, threads, scheme);
  const Batch batch = random_batch(4, 9, 0);
  const Batch last{
      1, 9, {batch.tokens.end() - 9, batch.tokens.end()}, {batch.targets.end() - 9, batch.targets.end()}};
  const std::vector<double> whole = evaluator.score(batch, {.seed = 3, .example = 10}).losses;
  EXPECT_EQ(evaluator.score(last, {.seed = 3, .example = 13}).losses,
            std::vector(whole.end() - 9, whole.end()));
}

TEST(BatchGradient, DrawsRandomPositionsAnewInEachStep) {
  const ModelRig<> rig(with_encoding("sinusoidal"));
  const Batch batch = random_batch(4, 9, 0);
  Threads threads(1);
  PositionScheme scheme = make_position_scheme("randomized(max_position=50)");
  BatchGradient<double> gradient(rig.model, rig.values, 2, threads, scheme);
  const double first = gradient.compute({&batch, 1}, {.seed = 3, .step = 0});
  const double second = gradient.compute({&batch, 1}, {.seed = 3, .step = 1});
  EXPECT_NE(second, first);
  EXPECT_EQ(BatchGradient<double>(rig.model, rig.values, 2, threads, scheme)
                .compute({&batch, 1}, {.seed = 3, .step = 1}),
            second);
}

// Logits are computed 512 rows at a time. A window and log-n scores reach every run.
TEST(Evaluator, ScoresAsManyTokensAsTheTextHasUnderAnyTestOfAttention) {
  const ModelRig<> rig(with_encoding("sinusoidal"));
  Threads threads(2);
  for (const auto& [length, test] : {std::pair<Index, AttentionTest>{511, {}},
                                     {512, {.window = 5}},
                                     {513, {.log_n_length = 10.0}},
                                     {1030, {.window = 5, .log_n_length = 3.0}}}) {
    const Batch batch = random_batch(2, length, 0);
    const TokenScores scores = Evaluator<double>(rig.model, rig.values, threads, {}, test).score(batch);
    const AttentionRun<double> attention{.test = test};
    const std::vector<double> logits =
        rig.logits(batch.tokens, {.positions = Positions::contiguous(2, length), .attention = &attention});
    const View<const double> rows(logits.data(), 2 * length, 11);
    std::vector<double> losses(batch.targets.size());
    std::vector<char> hits;
    cross_entropy(rows, batch.targets, losses);
    for (Index r = 0; r < rows.rows; ++r) {
      const Index likeliest = std::max_element(rows.row(r), rows.row(r) + rows.cols) - rows.row(r);
      hits.push_back(likeliest == batch.targets[static_cast<std::size_t>(r)] ? 1 : 0);
    }
    EXPECT_LT(largest_difference(scores.losses, losses), 1e-12) << length;
    EXPECT_EQ(scores.hits, hits) << length;
  }
}

TEST(Evaluator, DoesNotDependOnThreads) {
  const ModelRig<float> rig(small_config());
  const Batch batch = random_batch(7, 33, 0);
  Threads one(1);
  Threads three(3);
  const TokenScores alone = Evaluator<float>(rig.model, rig.values, one).score(batch);
  const TokenScores together = Evaluator<float>(rig.model, rig.values, three).score(batch);
  EXPECT_EQ(alone.losses, together.losses);
  EXPECT_EQ(alone.hits, together.hits);
}

// Positions of a task that count tokens from 1 are those of a sequence that starts at 1, in training and in a test.
TEST(TaskPositions, ReachTheModelInTrainingAndInATest) {
  const ModelRig<> rig(with_encoding("sinusoidal"));
  Batch batch = random_batch(5, 9, 0);
  Threads threads(2);
  const PositionScheme counted = make_position_scheme("task(max_position=10)");
  const PositionScheme from_one{.train_length = 9, .offset = 1.0};
  const auto loss = [&](const PositionScheme& scheme) {
    return BatchGradient<double>(rig.model, rig.values, 2, threads, scheme).compute({&batch, 1}, {});
  };
  const auto scores = [&](const PositionScheme& scheme) {
    return Evaluator<double>(rig.model, rig.values, threads, scheme).score(batch).losses;
  };
  EXPECT_THROW(loss(counted), PositionError);
  for (Index i = 0; i < 45; ++i) batch.positions.push_back(1.0 + static_cast<double>(i % 9));
  EXPECT_EQ(loss(counted), loss(from_one));
  EXPECT_EQ(scores(counted), scores(from_one));
  std::swap(batch.positions[9], batch.positions[10]);
  EXPECT_NE(loss(counted), loss(from_one));
  EXPECT_NE(scores(counted), scores(from_one));
}

TEST(Pass, MemoryOfALongEvaluationGrowsLinearly) {
  const ModelRig<float> rig(with_encoding("sinusoidal"));
  const auto memory_at = [&](Index length) {
    Pass<float> pass(rig.values);
    pass.begin({.positions = Positions::contiguous(1, length)});
    rig.model.hidden(random_batch(1, length, 0).tokens, pass);
    return static_cast<double>(pass.memory_bytes());
  };
  EXPECT_LT(memory_at(8192) / memory_at(2048), 5.0);  // four times the length; O(L²) would be sixteen
}

TEST(Pass, AllocatesNothingAfterTheFirstRun) {
  const ModelRig<float> rig(small_config());
  Parameters<float> gradients(rig.model.layout());
  Pass<float> pass(rig.values, &gradients);
  const Batch batch = random_batch(3, 20, 0);
  std::vector<Index> memory;
  for (int run = 0; run < 3; ++run) {
    pass.begin({.positions = Positions::contiguous(3, 20), .record = true});
    const View<const float> logits = rig.model.logits(rig.model.hidden(batch.tokens, pass), pass);
    rig.model.backward(batch.tokens, logits, pass);
    pass.finish();
    memory.push_back(pass.memory_bytes());
  }
  EXPECT_EQ(memory[1], memory[0]);
  EXPECT_EQ(memory[2], memory[0]);
}

}  // namespace
}  // namespace ordinal::testing
