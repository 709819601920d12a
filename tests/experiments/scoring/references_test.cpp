#include "experiments/scoring/references.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "framework/core/errors.h"
#include "tests/experiments/tasks/two_letters.h"

namespace ordinal::experiments {
namespace {

using ::testing::ThrowsMessage;

Settings settings_of(const std::string& task) {
  Settings settings;
  settings.set("task.name", task, "test");
  settings.set("task.train_length", "32", "test");
  settings.set("evaluate.batches", "4", "test");
  return settings;
}

const Reference& named(const std::vector<Reference>& references, const std::string& label) {
  return *std::ranges::find(references, label, &Reference::label);
}

TEST(References, KnowMoreTheFurtherTheyLookBack) {
  const auto task = make_task("language");
  const auto references = reference_scores(*task, settings_of("language"), {32, 64}, 1);
  ASSERT_EQ(references.size(), 7U);
  for (std::size_t length = 0; length < 2; ++length) {
    double before = std::log2(30.0) + 1e-9;
    for (const char* label : {"uniform", "unigram", "bigram", "4-gram", "oracle"}) {
      const double bits = named(references, label).scores[length].find("bits")->value;
      EXPECT_LT(bits, before) << label;
      before = bits;
    }
  }
}

TEST(References, OfTheExcessAreThoseOfBitsLessTheOracles) {
  const auto references = reference_scores(*make_task("language"), settings_of("language"), {64, 256}, 1);
  for (std::size_t length = 0; length < 2; ++length) {
    const auto score = [&](const std::string& reader, const std::string& metric) {
      return named(references, reader).scores[length].find(metric)->value;
    };
    EXPECT_NEAR(score("oracle", "excess.bits.past"), 0.0, 1e-9);
    EXPECT_NEAR(score("4-gram", "excess.bits.past"),
                score("4-gram", "bits.past") - score("oracle", "bits.past"), 1e-9);
  }
}

TEST(References, SayNothingOfAccuraciesThatTheyDoNotKnow) {
  const auto references = reference_scores(*make_task("language"), settings_of("language"), {64}, 1);
  EXPECT_EQ(named(references, "oracle").scores[0].find("recall.accuracy.past")->value, 1.0);
  EXPECT_EQ(named(references, "uniform").scores[0].find("recall.accuracy.past"), nullptr);
  EXPECT_NE(named(references, "4-gram").scores[0].find("recall.accuracy.past"), nullptr);
}

// Majority and draw count the values of a name; they give no probabilities.
TEST(References, ThatIgnoreOrderAreWrongWhereItMatters) {
  const std::string language = "language(values=5)";
  const auto references = reference_scores(*make_task(language), settings_of(language), {256}, 1);
  const LengthScore& majority = named(references, "majority").scores[0];
  const LengthScore& draw = named(references, "draw").scores[0];
  EXPECT_LT(majority.find("contested.accuracy.past")->value, 0.22);
  EXPECT_LT(draw.find("contested.accuracy.past")->value, 0.22);
  EXPECT_GT(majority.find("uncontested.accuracy.past")->value, 0.9);
  for (const LengthScore* one : {&majority, &draw}) {
    EXPECT_EQ(one->find("recall.bits.past"), nullptr);
    EXPECT_EQ(one->find("bits"), nullptr);
  }
  EXPECT_EQ(named(references, "oracle").scores[0].find("contested.accuracy.past")->value, 1.0);
}

TEST(References, OfATaskWithoutClassesHaveNoOracle) {
  const auto task = make_task("copy");
  EXPECT_EQ(reference_scores(*task, settings_of("copy"), {32}, 1).size(), 4U);
}

TEST(LearningGates, AreANumberOrTheScoreOfAReader) {
  const auto copy = make_task("copy");
  const auto of_copy = reference_scores(*copy, settings_of("copy"), {32}, 1);
  EXPECT_EQ(learning_gate(*copy, 32, of_copy)->threshold, 0.9);
  EXPECT_EQ(learning_gate(*copy, 32, of_copy, 0.5)->text, "accuracy of at least 0.5 at the training length");
  EXPECT_THAT([&] { learning_gate(*copy, 32, of_copy, 1.5); },
              ThrowsMessage<ConfigError>(
                  "evaluate.gate: got 1.5, expected at most 1: it is a threshold of accuracy"));
  EXPECT_FALSE(learning_gate(*copy, 16, of_copy)) << "nothing was scored at the training length";
  class Plain final : public TwoLetters {
   public:
    void example(const ExampleKey& /*key*/, Index /*length*/, std::span<Token> tokens,
                 std::span<Token> targets) const override {
      for (std::size_t t = 0; t < tokens.size(); ++t) targets[t] = tokens[t] = static_cast<Token>(t % 2);
    }
  };
  const Plain plain;
  const auto references = reference_scores(plain, settings_of("copy"), {32}, 1);
  const auto gate = learning_gate(plain, 32, references);
  EXPECT_EQ(learning_gate(plain, 32, references, 3.5)->text,
            "bits per token of at most 3.5 at the training length");
  EXPECT_EQ(gate->threshold, named(references, "bigram").scores[0].find("bits")->value);
  EXPECT_FALSE(learning_gate(plain, 16, references)) << "nothing was scored at the training length";
}

// Rows of several tasks are held to the threshold that all of them have.
TEST(CommonGate, IsThatOfAllTasksOrNone) {
  const auto copy = make_task("copy");
  const auto sort = make_task("sort");
  const auto language = make_task("language");
  const auto mlm = make_task("mlm");
  const auto gate = common_gate({copy.get(), sort.get()});
  ASSERT_TRUE(gate);
  EXPECT_EQ(gate->metric, "accuracy");
  EXPECT_EQ(gate->threshold, 0.9);
  EXPECT_EQ(gate->text, "accuracy of at least 0.9 at the training length");
  EXPECT_FALSE(common_gate({copy.get(), language.get()})) << "other thresholds";
  EXPECT_FALSE(common_gate({mlm.get(), mlm.get()})) << "a baseline's score";
}

}  // namespace
}  // namespace ordinal::experiments
