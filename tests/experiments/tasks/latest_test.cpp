// latest: answers and sources are right, only order tells, and questions are near and far at every length.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <string>

#include "experiments/tasks/task.h"
#include "tests/experiments/tasks/examples.h"
#include "tests/message_of.h"

namespace ordinal::experiments::testing {
namespace {

// That of configs/extrapolation.cfg.
constexpr const char* of_all_distances =
    "latest(names=9, letters=4, octaves=6, nearest=2, far=3, far_names=4)";

struct Question {
  std::string before;  // all symbols up to the name that is asked
  char answer = 0;
  Label label;
};

std::vector<Question> questions(const Task& task, std::uint32_t example_number, Index length) {
  const ExampleKey key{Split::validation, 9, 0, example_number};
  const auto [tokens, targets] = example(task, key, length);
  const std::vector<Label> known = labels(task, key, length);
  const std::string text = task.alphabet().decode(tokens);
  std::vector<Question> all;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (targets[i] == ignore_index) {
      EXPECT_EQ(known[i].token_class, -1);
      continue;
    }
    const std::array<Token, 1> answer = {targets[i]};
    all.push_back({text.substr(0, i + 1), task.alphabet().decode(answer)[0], known[i]});
  }
  return all;
}

// The letters of a name, and how often each stands before its question.
std::map<char, int> counts(const Question& question, std::size_t letters) {
  std::map<char, int> counts;
  const std::string row = "abcdefghijklmnopqrstuvwxyz0123456789";
  for (const char c : row.substr(static_cast<std::size_t>(question.before.back() - 'A') * letters, letters)) {
    counts[c] = static_cast<int>(std::ranges::count(question.before, c));
  }
  return counts;
}

// Some of these names wait seldom together, some nearly always.
class Latest : public ::testing::TestWithParam<std::pair<std::string, std::size_t>> {
 protected:
  std::unique_ptr<Task> task_ = make_task(GetParam().first);
  std::size_t letters_ = GetParam().second;
};

TEST_P(Latest, TheAnswerIsTheLatestLetterOfTheNameAndStandsAtItsSource) {
  for (std::uint32_t example = 0; example < 20; ++example) {
    for (const Question& question : questions(*task_, example, 600)) {
      std::string own;
      for (const auto& [letter, count] : counts(question, letters_)) own += letter;
      const std::size_t latest = question.before.find_last_of(own);
      ASSERT_EQ(question.answer, question.before[latest]) << question.before;
      EXPECT_EQ(question.label.source, static_cast<Index>(question.before.size() - latest));
      EXPECT_EQ(question.label.oracle_bits, 0.0);
    }
  }
}

// Since the last question of the name, each of its letters stood once, so counts say nothing about their order.
TEST_P(Latest, NoReaderThatIgnoresOrderIsRightMoreOftenThanOnceInEachNumberOfLetters) {
  const double share = 1.0 / static_cast<double>(letters_);
  for (const Index length : {64, 128, 512}) {
    double asked = 0.0;
    std::array<double, 5> right =
        {};  // the most frequent, rarest and first letter, and the readers of the labels
    for (std::uint32_t example = 0; example < 200'000 / length; ++example) {
      for (const Question& question : questions(*task_, example, length)) {
        const auto count = counts(question, letters_);
        const auto by_count = [](const auto& a, const auto& b) { return a.second < b.second; };
        asked += 1.0;
        right[0] += std::ranges::max_element(count, by_count)->first == question.answer ? 1.0 : 0.0;
        right[1] += std::ranges::min_element(count, by_count)->first == question.answer ? 1.0 : 0.0;
        right[2] += count.begin()->first == question.answer ? 1.0 : 0.0;
        right[3] += question.label.majority.value() ? 1.0 : 0.0;
        right[4] += question.label.draw.value() ? 1.0 : 0.0;
      }
    }
    ASSERT_GT(asked, 1000);
    for (const double sum : right)
      EXPECT_NEAR(sum / asked, share, 4.0 * std::sqrt(share * (1.0 - share) / asked)) << length;
  }
}

TEST(Documents, BeginAsShorterOnesDo) {
  const ExampleKey key{Split::validation, 5, 0, 7};
  for (const std::string& name :
       {std::string("latest"), std::string("latest(names=2, letters=2, octaves=1)"),
        std::string(of_all_distances), std::string("language"), std::string("language(values=1)")}) {
    const auto task = make_task(name);
    const auto [tokens, targets] = example(*task, key, 1000);
    const auto [first_tokens, first_targets] = example(*task, key, 65);
    EXPECT_TRUE(std::ranges::equal(std::span(tokens).first(65), first_tokens)) << name;
    EXPECT_TRUE(std::ranges::equal(std::span(targets).first(65), first_targets)) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Options, Latest,
                         ::testing::Values(std::pair("latest", 5), std::pair("latest(names=4, octaves=6)", 5),
                                           std::pair("latest(names=2, letters=2, octaves=1)", 2),
                                           std::pair("latest(names=2, letters=18, octaves=16)", 18),
                                           std::pair(std::string(of_all_distances), 4)));

// Counts for one seed: 960 examples of 64 tokens, or as many tokens in longer ones.
TEST(LatestTask, AsksNearAndFarAtEveryLengthBeyondTraining) {
  const auto task = make_task("latest");
  for (const Index length : {128, 256, 512}) {
    Index near = 0;
    Index far = 0;
    for (std::uint32_t example = 0; example < 60 * 16 * 64 / length; ++example) {
      for (const Question& question : questions(*task, example, length)) {
        if (question.label.source > 64) ++far;
        if (question.label.source <= 64 && question.before.size() > 64) ++near;
      }
    }
    EXPECT_GE(near, 200) << length;
    EXPECT_GE(far, 200) << length;
  }
}

// One seed of configs/extrapolation.cfg has 320 such examples of 512 tokens, trained on 64.
TEST(LatestTask, AsksFarQuestionsOfEveryBandOfDistance) {
  const auto task = make_task(of_all_distances);
  std::map<std::string, int> asked;
  for (std::uint32_t example = 0; example < 320; ++example)
    for (const Question& question : questions(*task, example, 512))
      for (const MetricSpec& metric : task->metrics())
        if (metric.counts(question.label, std::ssize(question.before), 512, 64)) ++asked[metric.id];
  for (const char* band : {"accuracy.far.2x", "accuracy.far.4x", "accuracy.far.8x"})
    EXPECT_GE(asked[band], 200) << band;
  EXPECT_EQ(asked["accuracy.far.2x"] + asked["accuracy.far.4x"] + asked["accuracy.far.8x"],
            asked["accuracy.far"]);
}

// Far questions let names wait; the same number of others is left at every length, so their distances are the same.
TEST(LatestTask, AsksNearQuestionsAsNearAtEveryLengthWithFarOnes) {
  const auto task = make_task(of_all_distances);
  std::map<Index, double> mean;
  for (const Index length : {128, 512}) {
    double sum = 0.0;
    double asked = 0.0;
    for (std::uint32_t example = 0; example < 200'000 / length; ++example)
      for (const Question& question : questions(*task, example, length)) {
        if (question.label.source > 64 || question.before.size() <= 64) continue;
        asked += 1.0;
        sum += static_cast<double>(question.label.source);
      }
    mean[length] = sum / asked;
  }
  EXPECT_NEAR(mean[128], mean[512], 1.0);
  EXPECT_GT(mean[512], 15.0);
}

TEST(LatestTask, RefusesOptionsThatContradictEachOther) {
  for (const auto& [task, problem] :
       {std::pair("latest(names=8, letters=5)", "8 names of 5 letters need 40 letters, expected at most 36"),
        {"latest(octaves=3, nearest=4)", "nearest = 4 leaves out all of octaves = 3, expected at most 3"},
        {"latest(names=3, far=1)",
         "far_names = 3 of names = 3 wait for far questions, expected at most 2"}}) {
    EXPECT_THAT(message_of<ConfigError>([task = task] { make_task(task); }),
                std::string("task latest: ") + problem);
  }
}

}  // namespace
}  // namespace ordinal::experiments::testing
