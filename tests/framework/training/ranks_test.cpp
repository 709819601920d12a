// One training over several ranks: the same bits as in one process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "framework/core/errors.h"
#include "framework/training/trainer.h"
#include "tests/framework/training/small_model.h"
#include "tests/framework/training/thread_ranks.h"

namespace ordinal::testing {
namespace {

using ::testing::HasSubstr;

// Numbers whose sum depends on the order of addition.
std::vector<float> numbers_of(int rank, Index count) {
  Random random({.seed = 3, .purpose = hash_name("test.ranks"), .step = static_cast<std::uint32_t>(rank)});
  std::vector<float> numbers;
  for (Index i = 0; i < count; ++i) numbers.push_back(static_cast<float>(std::exp(20.0 * random.uniform())));
  return numbers;
}

TEST(Ranks, SumAlongTheTreeOfOneProcess) {
  for (const int size : {1, 2, 4, 8}) {
    for (const Index count : {0, 1, 3, 1000}) {
      std::vector<std::vector<float>> tree;
      for (int rank = 0; rank < size; ++rank) tree.push_back(numbers_of(rank, count));
      for (std::size_t step = 1; step < tree.size(); step *= 2) {
        for (std::size_t r = 0; r < tree.size(); r += 2 * step)
          std::ranges::transform(tree[r], tree[r + step], tree[r].begin(), std::plus());
      }
      on_ranks(size, [&](ThreadRanks& ranks) {
        std::vector<float> numbers = numbers_of(ranks.rank(), count);
        std::vector<float> received;
        sum<float>(ranks, numbers, received);
        EXPECT_EQ(numbers, tree[0]) << size << " ranks, " << count << " numbers";
      });
    }
  }
}

TEST(Ranks, SendLessThanTwiceTheValues) {
  on_ranks(8, [](ThreadRanks& ranks) {
    std::vector<float> numbers(8000);
    std::vector<float> received;
    sum<float>(ranks, numbers, received);
    EXPECT_EQ(ranks.sent, 2 * 7000 * 4);
  });
}

TEST(Ranks, GatherInTheirOrder) {
  on_ranks(8, [](ThreadRanks& ranks) {
    std::vector<double> all(24, -1.0);
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t at = 3 * static_cast<std::size_t>(ranks.rank()) + i;
      all[at] = static_cast<double>(at);
    }
    gather(ranks, all);
    std::vector<double> expected(24);
    std::iota(expected.begin(), expected.end(), 0.0);
    EXPECT_EQ(all, expected);
  });
}

TEST(Ranks, GetTheFirstTextAndKnowWhetherTheyAreEqual) {
  on_ranks(3, [](ThreadRanks& ranks) {
    EXPECT_EQ(first_text(ranks, ranks.rank() == 0 ? "" : "text of rank " + std::to_string(ranks.rank())),
              "text of rank 1");
    EXPECT_EQ(first_text(ranks, ""), "");
    EXPECT_TRUE(all_equal(ranks, 7));
    EXPECT_FALSE(all_equal(ranks, ranks.rank() == 2 ? 8 : 7));
  });
}

TEST(Ranks, FailTogetherIfTheFirstCannotWrite) {
  on_ranks(2, [](ThreadRanks& ranks) {
    int calls = 0;
    on_first(ranks, [&] { ++calls; });
    EXPECT_EQ(calls, ranks.rank() == 0 ? 1 : 0);
    const auto fail = [&] { on_first(ranks, [] { throw DataError("the disk is full"); }); };
    if (ranks.rank() == 0) {
      EXPECT_THROW(fail(), DataError);
    } else {
      EXPECT_THROW(fail(), AnotherRankFailed);
    }
  });
}

struct Trained {
  std::vector<double> losses;
  std::vector<float> values;
  bool operator==(const Trained&) const = default;
};

// Batches of 6 sequences in 8 shards: two of them are empty.
Trained train(Ranks& ranks, int thread_count) {
  const Transformer<float> model(small_config(0.1));
  Threads threads(thread_count);
  Trainer<float> trainer(model, options_with(8), threads, ranks);
  Trained trained;
  for (std::uint32_t step = 0; step < 4; ++step) {
    const std::vector<Batch> batches = {random_batch(6, 9, 2 * step), random_batch(6, 5, 2 * step + 1)};
    trained.losses.push_back(trainer.step(batches).loss);
  }
  trained.values.assign(trainer.values().flat().begin(), trainer.values().flat().end());
  return trained;
}

TEST(Ranks, TrainTheSameBitsAsOneProcess) {
  const Trained expected = train(one_rank(), 2);
  for (const int size : {2, 4, 8}) {
    on_ranks(size, [&](ThreadRanks& ranks) {
      EXPECT_EQ(train(ranks, 1 + ranks.rank() % 2), expected) << "rank " << ranks.rank() << " of " << size;
    });
  }
}

TEST(Ranks, AgreeThatAStepIsNotTakenAndWhy) {
  ModelConfig config = small_config();
  config.tied_output = false;
  const Transformer<float> model(config);
  Batch batch = random_batch(6, 9, 0);
  std::ranges::replace(batch.tokens, Token{10}, Token{9});
  batch.tokens[4 * 9 + 5] = 10;  // in the part of rank 1
  on_ranks(2, [&](ThreadRanks& ranks) {
    Threads threads(1);
    Trainer<float> trainer(model, options_with(4), threads, ranks);
    trainer.values()["token_embedding.weight"](10, 3) = 3e38F;
    EXPECT_FALSE(trainer.step({&batch, 1}).taken);
    EXPECT_EQ(trainer.find_non_finite({&batch, 1}),
              "token_embedding, forward: infinity for example 4, token 5");
  });
}

// Only the shard of rank 1 has a position past the table.
TEST(Ranks, ShareAPositionError) {
  const Transformer<float> model(small_config());
  Batch batch = random_batch(2, 4, 0);
  batch.positions = {0, 1, 2, 3, 0, 1, 2, 64};
  on_ranks(2, [&](ThreadRanks& ranks) {
    Threads threads(1);
    TrainerOptions options = options_with(2);
    options.positions = make_position_scheme("task(max_position=100)");
    Trainer<float> trainer(model, options, threads, ranks);
    try {
      trainer.step({&batch, 1});
      ADD_FAILURE() << "expected a PositionError";
    } catch (const PositionError& error) {
      EXPECT_THAT(error.what(), HasSubstr("64"));
    }
  });
}

TEST(Ranks, MustBeAPowerOfTwoUpToTheShards) {
  const Transformer<float> model(small_config());
  for (const int size : {3, 8}) {
    on_ranks(size, [&](ThreadRanks& ranks) {
      Threads threads(1);
      try {
        const Trainer<float> trainer(model, options_with(4), threads, ranks);
        ADD_FAILURE() << size << " ranks share 4 shards";
      } catch (const std::invalid_argument& error) {
        EXPECT_THAT(error.what(), HasSubstr("ranks cannot share a batch of 4 shards"));
      }
    });
  }
}

}  // namespace
}  // namespace ordinal::testing
