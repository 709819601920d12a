#include "experiments/tasks/ngram.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/experiments/tasks/examples.h"

namespace ordinal::experiments {
namespace {

// Two letters: after a comes b in three of four cases, after b always a.
class Chain final : public TwoLetters {
 public:
  void example(const ExampleKey& key, Index /*length*/, std::span<Token> tokens,
               std::span<Token> targets) const override {
    Token current = 0;
    std::uint32_t place = key.example;
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      tokens[t] = current;
      current = current == 1 || place++ % 4 == 3 ? 0 : 1;
      targets[t] = current;
    }
    targets[0] = ignore_index;
  }
};

double mean_bits(const NgramReader& reader, const Batch& batch) {
  const TokenScores scores = reader.score(batch);
  double sum = 0.0;
  double count = 0.0;
  for (std::size_t i = 0; i < batch.targets.size(); ++i) {
    if (batch.targets[i] == ignore_index) continue;
    sum += scores.losses[i] / std::numbers::ln2;
    count += 1.0;
  }
  return sum / count;
}

TEST(NgramReader, KnowsAsMuchAsItsOrder) {
  const Chain task;
  const Batch batch = make_batch(task, Split::validation, 0, 0, 8, 4000);
  const auto bits = [&](Index order) { return mean_bits(NgramReader(task, order, 4000, 8), batch); };
  const auto entropy = [](double p) { return -p * std::log2(p) - (1 - p) * std::log2(1 - p); };
  EXPECT_DOUBLE_EQ(bits(0), 1.0);
  EXPECT_NEAR(bits(1), entropy(3.0 / 7.0), 1e-3);         // of seven letters three are b
  EXPECT_NEAR(bits(2), 4.0 / 7.0 * entropy(0.25), 1e-3);  // after a one of two is open, after b none
  EXPECT_LT(bits(8), 0.05);                               // the cases come in turn
}

// After "a" of three examples: b, b and nothing else; c is not known. By Witten and Bell, with T(h) = 1:
// p(b | a) = (2 + 1 p(b)) / (2 + 1), and p(b) = (2 + 1/2) / 3 in an alphabet of two.
TEST(NgramReader, BorrowsFromShorterContexts) {
  class Pair final : public TwoLetters {
   public:
    void example(const ExampleKey& /*key*/, Index /*length*/, std::span<Token> tokens,
                 std::span<Token> targets) const override {
      tokens[0] = 0;
      targets[0] = 1;
    }
  };
  const Pair task;
  const Batch batch = make_batch(task, Split::validation, 0, 0, 1, 1);
  const double of_b = (2.0 + 0.5) / 3.0;
  EXPECT_NEAR(mean_bits(NgramReader(task, 1, 1, 2), batch), -std::log2(of_b), 1e-12);
  EXPECT_NEAR(mean_bits(NgramReader(task, 2, 1, 2), batch), -std::log2((2.0 + of_b) / 3.0), 1e-12);
  EXPECT_EQ(NgramReader(task, 2, 1, 2).score(batch).hits[0], 1);
}

TEST(NgramReader, GivesProbabilitiesThatSumToOne) {
  const auto task = make_task("language");
  const NgramReader reader(*task, 4, 64, 100);
  Batch batch = make_batch(*task, Split::validation, 0, 0, 1, 12);
  double sum = 0.0;
  for (Token token = 0; token < task->alphabet().size(); ++token) {
    batch.targets.back() = token;
    sum += std::exp(-reader.score(batch).losses.back());
  }
  EXPECT_NEAR(sum, 1.0, 1e-12);
}

}  // namespace
}  // namespace ordinal::experiments
