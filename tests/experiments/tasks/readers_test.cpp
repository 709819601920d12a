#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "experiments/tasks/reader.h"
#include "tests/experiments/tasks/examples.h"

namespace ordinal::experiments {
namespace {

// Two letters: after a comes b in three of four cases, after b always a.
class Chain final : public TwoLetters {
 public:
  std::vector<Label> example(const ExampleKey& key, Index /*length*/, std::span<Token> tokens,
                             std::span<Token> targets) const override {
    Token current = 0;
    std::uint32_t place = key.example;
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      tokens[t] = current;
      current = current == 1 || place++ % 4 == 3 ? 0 : 1;
      targets[t] = current;
    }
    targets[0] = ignore_index;
    return {};
  }
};

Read read_of(const std::string& name, const Task& task, Index train_length) {
  return reader_of(name)->build(task, train_length);
}

TEST(Ngrams, KnowAsMuchAsTheirOrder) {
  const Chain task;
  const Batch batch = make_batch(task, Split::validation, 0, 0, 1, 4000);
  const auto bits = [&](const std::string& name) {
    const Read read = read_of(name, task, 4000);
    double sum = 0.0;
    for (std::size_t t = 1; t < batch.tokens.size(); ++t)
      sum += read({std::span(batch.tokens).first(t + 1), batch.targets[t]}).loss / std::numbers::ln2;
    return sum / static_cast<double>(batch.tokens.size() - 1);
  };
  const auto entropy = [](double p) { return -p * std::log2(p) - (1 - p) * std::log2(1 - p); };
  EXPECT_DOUBLE_EQ(bits("uniform"), 1.0);
  EXPECT_NEAR(bits("unigram"), entropy(3.0 / 7.0), 1e-3);             // of seven letters three are b
  EXPECT_NEAR(bits("bigram"), 4.0 / 7.0 * entropy(0.25), 1e-3);       // after a one of four is a, after b all
  EXPECT_NEAR(bits("4-gram"), 3.0 / 7.0 * entropy(1.0 / 3.0), 1e-3);  // after aba one of three is a
}

// After "a" of two examples: b, b and nothing else. By Witten and Bell, with T(h) = 1:
// p(b | a) = (2 + 1 p(b)) / (2 + 1), and p(b) = (2 + 1/2) / 3 in an alphabet of two.
TEST(Ngrams, BorrowFromShorterContexts) {
  class Pair final : public TwoLetters {
   public:
    std::vector<Label> example(const ExampleKey& /*key*/, Index /*length*/, std::span<Token> tokens,
                               std::span<Token> targets) const override {
      std::ranges::fill(tokens, 0);
      std::ranges::fill(targets, ignore_index);
      targets[0] = 1;
      return {};
    }
  };
  const Pair task;
  const std::vector<Token> before = {0};
  const double of_b = (2.0 + 0.5) / 3.0;
  const Index half_of_all = 200'000;  // tokens that are counted, so there are two examples
  EXPECT_NEAR(read_of("unigram", task, half_of_all)({before, 1}).loss, -std::log(of_b), 1e-12);
  const TargetScore after_a = read_of("bigram", task, half_of_all)({before, 1});
  EXPECT_NEAR(after_a.loss, -std::log((2.0 + of_b) / 3.0), 1e-12);
  EXPECT_EQ(after_a.hit, true);
  EXPECT_FALSE(read_of("uniform", task, half_of_all)({before, 0}).hit) << "all are equally likely";
}

TEST(Ngrams, GiveProbabilitiesThatSumToOne) {
  const auto task = make_task("language");
  const Read read = read_of("4-gram", *task, 64);
  const Batch batch = make_batch(*task, Split::validation, 0, 0, 1, 12);
  double sum = 0.0;
  for (Token token = 0; token < task->alphabet().size(); ++token)
    sum += std::exp(-read({batch.tokens, token}).loss);
  EXPECT_NEAR(sum, 1.0, 1e-12);
}

}  // namespace
}  // namespace ordinal::experiments
