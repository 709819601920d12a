#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numbers>
#include <set>
#include <string>
#include <vector>

#include "experiments/tasks/reader.h"
#include "framework/core/errors.h"
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

constexpr Index train_length = 16;

// A target of a task and what comes before it.
struct Asked {
  std::vector<Token> before;
  Token target = 0;
  Label label = {};

  Question question() const { return {before, target, label, train_length}; }
};

bool has_examples(const Task& task, Index length) {
  try {
    task.check_length(length);
  } catch (const DataError&) {
    return false;
  }
  return true;
}

// Those of an example of each length.
std::vector<Asked> questions_of(const Task& task) {
  std::vector<Asked> all;
  for (const Index length : {train_length, 2 * train_length}) {
    if (!has_examples(task, length)) continue;
    const auto [batch, labels] = make_examples(task, Split::validation, 1, 0, 1, length);
    for (std::size_t t = 0; t < batch.tokens.size(); ++t) {
      if (batch.targets[t] == ignore_index) continue;
      const auto end = batch.tokens.begin() + static_cast<std::ptrdiff_t>(t) + 1;
      all.push_back({{batch.tokens.begin(), end}, batch.targets[t], labels.empty() ? Label{} : labels[t]});
    }
  }
  return all;
}

// What the readers of a name say of a task; the name may have several.
class EveryReader : public ::testing::TestWithParam<std::string> {
 protected:
  std::vector<Read> reads(const Task& task) const {
    std::vector<Read> all;
    for (const Reader& reader : readers().entries())
      if (reader.name == GetParam()) all.push_back(reader.build(task, train_length));
    return all;
  }
};

bool has_loss(const TargetScore& score) { return std::isfinite(score.loss); }

// One that throws would end the readers of every task. A target without a loss would leave the mean of all without a value.
TEST_P(EveryReader, SaysSomethingOfSomeTaskAndAbstainsFromOthers) {
  bool says_something = false;
  for (const std::string& name : tasks().names()) {
    if (lacks_file({name})) continue;
    const auto ask_all = [&] {
      const auto task = make_task(name);
      for (const Read& read : reads(*task)) {
        Index losses = 0;
        const std::vector<Asked> all = questions_of(*task);
        for (const Asked& asked : all) {
          const TargetScore score = read(asked.question());
          losses += has_loss(score) ? 1 : 0;
          says_something = says_something || has_loss(score) || score.hit;
          EXPECT_FALSE(score.loss < 0.0) << "a loss of " << score.loss << " in " << name;
        }
        EXPECT_TRUE(losses == 0 || losses == std::ssize(all))
            << losses << " of " << all.size() << " targets of " << name << " have a loss";
      }
    };
    EXPECT_NO_THROW(ask_all()) << name;
  }
  EXPECT_TRUE(says_something) << "no target of any task has a loss or a hit";
}

// Without what the task knows of the answer, a rule hits at most one token, and its probabilities have a sum of at most 1.
TEST_P(EveryReader, DoesNotLookAtTheAnswer) {
  for (const std::string name : {"language", "latest", "copy"}) {
    const auto task = make_task(name);
    for (const Read& read : reads(*task)) {
      for (Asked asked : questions_of(*task)) {
        asked.label = {};
        int hits = 0;
        double sum = 0.0;
        for (asked.target = 0; asked.target < task->alphabet().size(); ++asked.target) {
          const TargetScore score = read(asked.question());
          hits += score.hit.value_or(false) ? 1 : 0;
          sum += has_loss(score) ? std::exp(-score.loss) : 0.0;
        }
        ASSERT_LE(hits, 1) << "hits, whatever the target is, in " << name;
        ASSERT_LE(sum, 1.0 + 1e-9) << "the sum of the probabilities of all targets in " << name;
      }
    }
  }
}

TEST_P(EveryReader, SaysTheSameInAnyOrder) {
  const auto task = make_task("language");
  const std::vector<Asked> all = questions_of(*task);
  const std::vector<Read> in_order = reads(*task);
  const std::vector<Read> backwards = reads(*task);
  for (std::size_t i = 0; i < in_order.size(); ++i) {
    std::vector<TargetScore> scores;
    for (const Asked& asked : all) scores.push_back(in_order[i](asked.question()));
    for (std::size_t q = all.size(); q-- > 0;) {
      const TargetScore again = backwards[i](all[q].question());
      ASSERT_TRUE(again.hit == scores[q].hit && again.loss == scores[q].loss) << "question " << q;
    }
  }
}

std::set<std::string> reader_names() {
  std::set<std::string> names;
  for (const Reader& reader : readers().entries()) names.insert(reader.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryReader, ::testing::ValuesIn(reader_names()), [](const auto& info) {
  std::string name = info.param;
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
});

Read read_of(const std::string& name, const Task& task, Index length) {
  return reader_of(name)->build(task, length);
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
