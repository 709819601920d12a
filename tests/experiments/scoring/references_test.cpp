#include "experiments/scoring/references.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "experiments/tasks/reader.h"
#include "framework/core/errors.h"
#include "tests/experiments/tasks/examples.h"
#include "tests/experiments/with.h"
#include "tests/message_of.h"

namespace ordinal::experiments {
namespace {

using ::testing::StartsWith;

Settings settings_of(const std::string& task) {
  return with({{"task.name", task}, {"task.train_length", "32"}, {"evaluate.batches", "4"}});
}

// The score of a baseline, or null.
const Score* find(const std::vector<Score>& references, const std::string& name, const std::string& metric,
                  Index length) {
  const auto found = std::ranges::find_if(references, [&](const Score& score) {
    return score.row == name && score.metric.id == metric && score.length == length;
  });
  return found == references.end() ? nullptr : &*found;
}

double value(const std::vector<Score>& references, const std::string& name, const std::string& metric,
             Index length) {
  const Score* found = find(references, name, metric, length);
  if (found == nullptr) ADD_FAILURE() << name << " has no " << metric;
  return found == nullptr ? std::nan("") : found->value;
}

TEST(References, KnowMoreTheFurtherTheyLookBack) {
  const auto task = make_task("language");
  const auto references = reference_scores(*task, settings_of("language"), {32, 64}, 1);
  for (const Index length : {32, 64}) {
    double before = std::log2(30.0) + 1e-9;
    for (const char* label : {"uniform", "unigram", "bigram", "4-gram", "oracle"}) {
      const double bits = value(references, label, "bits", length);
      EXPECT_LT(bits, before) << label;
      before = bits;
    }
  }
}

TEST(References, OfTheExcessAreThoseOfBitsLessTheOracles) {
  const auto references = reference_scores(*make_task("language"), settings_of("language"), {64, 256}, 1);
  for (const Index length : {64, 256}) {
    const auto score = [&](const std::string& reader, const std::string& metric) {
      return value(references, reader, metric, length);
    };
    EXPECT_NEAR(score("oracle", "excess.bits.past"), 0.0, 1e-9);
    EXPECT_NEAR(score("4-gram", "excess.bits.past"),
                score("4-gram", "bits.past") - score("oracle", "bits.past"), 1e-9);
  }
}

TEST(References, SayNothingOfAccuraciesThatTheyDoNotKnow) {
  const auto references = reference_scores(*make_task("language"), settings_of("language"), {64}, 1);
  EXPECT_EQ(value(references, "oracle", "recall.accuracy.past", 64), 1.0);
  EXPECT_EQ(find(references, "uniform", "recall.accuracy.past", 64), nullptr);
  EXPECT_NE(find(references, "4-gram", "recall.accuracy.past", 64), nullptr);
}

// Majority and draw count the values of a name; they give no probabilities.
TEST(References, ThatIgnoreOrderAreWrongWhereItMatters) {
  const std::string language = "language(values=5)";
  const auto references = reference_scores(*make_task(language), settings_of(language), {256}, 1);
  for (const char* reader : {"majority", "draw"}) {
    EXPECT_LT(value(references, reader, "contested.accuracy.past", 256), 0.22);
    for (const char* metric : {"recall.bits.past", "bits", "perplexity"})
      EXPECT_EQ(find(references, reader, metric, 256), nullptr);
  }
  EXPECT_GT(value(references, "majority", "uncontested.accuracy.past", 256), 0.9);
  EXPECT_EQ(value(references, "oracle", "contested.accuracy.past", 256), 1.0);
}

// It knows what lies within the last 32 tokens, and guesses like draw what lies further away.
TEST(References, ThatReadTheLastTokensAreRightWithinThem) {
  const auto references = reference_scores(*make_task("language"), settings_of("language"), {32, 256}, 1);
  const auto last = [&](const std::string& metric) { return value(references, "last 32", metric, 256); };
  EXPECT_EQ(last("contested.accuracy.near"), 1.0);
  EXPECT_EQ(last("contested.accuracy.far"), value(references, "draw", "contested.accuracy.far", 256));
  EXPECT_LT(last("contested.accuracy.far"), 0.5);
  const auto targets = [&](const std::string& metric) {
    return static_cast<double>(find(references, "last 32", metric, 256)->tokens);
  };
  const double far = targets("recall.accuracy.far");
  const double near = targets("recall.accuracy.near");
  EXPECT_NEAR(last("recall.accuracy.past"), (near + far * last("recall.accuracy.far")) / (near + far), 1e-9);
  EXPECT_EQ(value(references, "last 32", "recall.accuracy.past", 32), 1.0);
  EXPECT_EQ(find(references, "last 32", "bits", 256), nullptr) << "it gives no probabilities";
}

TEST(References, OfATaskWithoutLabelsAreThoseThatReadTokens) {
  const auto task = make_task("copy");
  const auto references = reference_scores(*task, settings_of("copy"), {32}, 1);
  for (const Score& score : references) {
    EXPECT_NE(reader_of(score.row)->knows, Knows::sources) << score.row;
    EXPECT_FALSE(score.row == "majority" || score.row == "draw" || score.row == "uniform") << score.row;
  }
  for (const char* reader : {"unigram", "bigram", "4-gram"}) value(references, reader, "accuracy", 32);
}

TEST(Readers, AreFoundByTheirRows) {
  EXPECT_EQ(reader_of("last 64")->name, "last");
  EXPECT_EQ(reader_of("last 64")->knows, Knows::sources);
  EXPECT_EQ(reader_of("majority")->knows, Knows::counts);
  EXPECT_EQ(reader_of("4-gram")->knows, Knows::order);
  EXPECT_EQ(reader_of("rope"), nullptr);
}

class Alternating : public TwoLetters {
 public:
  std::vector<Label> example(const ExampleKey& /*key*/, Index /*length*/, std::span<Token> tokens,
                             std::span<Token> targets) const override {
    for (std::size_t t = 0; t < tokens.size(); ++t) targets[t] = tokens[t] = static_cast<Token>(t % 2);
    return {};
  }
};

TEST(LearningGates, AreANumberOrTheScoreOfAReader) {
  const auto copy = make_task("copy");
  const auto of_copy = reference_scores(*copy, settings_of("copy"), {32}, 1);
  EXPECT_EQ(learning_gate(*copy, 32, of_copy)->threshold, 0.9);
  EXPECT_EQ(learning_gate(*copy, 32, of_copy, 0.5)->text, "accuracy of at least 0.5 at the training length");
  EXPECT_THAT(message_of<ConfigError>([&] { learning_gate(*copy, 32, of_copy, 1.5); }),
              "evaluate.gate: got 1.5, expected at most 1: it is a threshold of accuracy");
  EXPECT_EQ(learning_gate(*copy, 16, of_copy)->threshold, 0.9) << "it needs no score";
  const Alternating plain;
  const auto references = reference_scores(plain, settings_of("copy"), {32}, 1);
  const auto gate = learning_gate(plain, 32, references);
  EXPECT_EQ(learning_gate(plain, 32, references, 3.5)->text,
            "bits per token of at most 3.5 at the training length");
  EXPECT_EQ(gate->threshold, value(references, "bigram", "bits", 32));
  EXPECT_EQ(learning_gate(plain, 16, references)->text,
            "bits per token of at most the score of the bigram baseline at the training length");
  EXPECT_TRUE(std::isnan(learning_gate(plain, 16, references)->threshold))
      << "nothing was scored at the training length";
}

TEST(LearningGates, ThatTheOracleDoesNotReachAreRefused) {
  class Bits final : public Alternating {
   public:
    std::vector<Label> example(const ExampleKey& key, Index length, std::span<Token> tokens,
                               std::span<Token> targets) const override {
      Alternating::example(key, length, tokens, targets);
      return std::vector<Label>(static_cast<std::size_t>(length), {.oracle_bits = 0.5});
    }
    std::optional<Gate> gate() const override { return Gate{.metric = "bits", .threshold = 1.0}; }
  };
  const Bits task;
  const auto references = reference_scores(task, settings_of("copy"), {32}, 1);
  EXPECT_EQ(learning_gate(task, 32, references, 0.5)->threshold, 0.5);
  EXPECT_THAT(message_of<ConfigError>([&] { learning_gate(task, 32, references, 0.4); }),
              "evaluate.gate: got 0.4, expected one that can be reached: the oracle has 0.5 bits");
}

// A task whose only metric is its own is learned by that, up or down.
TEST(LearningGates, AreByDefaultOfTheFirstMetric) {
  struct Own final : Alternating {
    explicit Own(Measure of) : measured(of) {}
    std::vector<MetricSpec> metrics() const override {
      return {{.id = "surprise", .name = "bits per sum", .measure = measured}};
    }
    Measure measured;
  };
  const auto gate_of = [](const Own& task) {
    return learning_gate(task, 32, reference_scores(task, settings_of("copy"), {32}, 1))->text;
  };
  EXPECT_THAT(gate_of(Own(Measure::bits)), StartsWith("bits per sum of at most"));
  EXPECT_EQ(gate_of(Own(Measure::accuracy)), "bits per sum of at least 0.9 at the training length");
}

TEST(LearningGates, OfUnknownMetricsAndReadersAreRefused) {
  struct Own final : Alternating {
    explicit Own(Gate of) : own(std::move(of)) {}
    std::optional<Gate> gate() const override { return own; }
    Gate own;
  };
  EXPECT_THAT(message_of<std::invalid_argument>([] { check_gate(Own({.metric = "accuracy"}), 0.0); }),
              "Task::gate: got metric 'accuracy', expected one of its metrics: "
              "bits, perplexity, bits.past");
  EXPECT_THAT(message_of<std::invalid_argument>(
                  [] { check_gate(Own({.metric = "bits", .reader = "trigram"}), 0.0); }),
              StartsWith("Task::gate: got reader 'trigram', expected "));
}

}  // namespace
}  // namespace ordinal::experiments
