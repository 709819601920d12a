// Properties of the tasks that give a prompt and ask for its answer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "experiments/tasks/answer_task.h"
#include "framework/core/errors.h"
#include "tests/experiments/tasks/pair.h"

namespace ordinal::experiments {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::string sorted(std::string text) {
  std::ranges::sort(text);
  return text;
}

// What its layout adds to an alphabet: the separator of a decoder, the empty token of an encoder, or nothing.
std::string mark_of(const std::string& symbols) {
  const std::size_t mark = symbols.find_first_of("|_");
  return mark == std::string::npos ? "" : symbols.substr(mark, 1);
}

std::vector<std::string> answer_tasks(Direction direction, const std::string& mark) {
  std::vector<std::string> names;
  for (const TaskEntry& entry : tasks().entries()) {
    const bool answers = entry.name != "text" && make_task(entry.name)->measure() == Measure::accuracy;
    if (!answers || entry.direction != direction) continue;
    if (mark_of(task_alphabet({entry.name}).symbols()) == mark) names.push_back(entry.name);
  }
  return names;
}

class Decoders : public ::testing::TestWithParam<std::string> {};

// The targets are the next tokens, from the separator on, and nothing before it is asked.
TEST_P(Decoders, AreAskedForTheNextTokensAfterTheSeparator) {
  const auto task = make_task(GetParam());
  for (const Index length : {1, 2, 9}) {
    const Pair one = example(*task, 3, length);
    ASSERT_EQ(std::ssize(one.tokens), task->seq_len(length));
    const std::size_t separator = one.tokens.find('|');
    ASSERT_NE(separator, std::string::npos);
    EXPECT_EQ(one.targets.substr(0, separator), std::string(separator, '~'));
    EXPECT_EQ(one.targets.find('~', separator), std::string::npos);
    EXPECT_EQ(one.tokens.substr(separator + 1) + one.targets.back(), one.targets.substr(separator));
  }
}
INSTANTIATE_TEST_SUITE_P(Registry, Decoders, ::testing::ValuesIn(answer_tasks(Direction::causal, "|")),
                         [](const auto& info) { return info.param; });

class Encoders : public ::testing::TestWithParam<std::string> {};

// No token of the answer is in the input.
TEST_P(Encoders, AnswerInPlaceOfEmptyTokens) {
  const auto task = make_task(GetParam());
  for (const Index length : {1, 2, 9}) {
    const Pair one = example(*task, 3, length);
    const std::size_t prompt = one.tokens.find('_');
    ASSERT_NE(prompt, std::string::npos);
    EXPECT_EQ(one.tokens.substr(prompt), std::string(one.tokens.size() - prompt, '_'));
    EXPECT_EQ(one.targets.substr(0, prompt), std::string(prompt, '~'));
    EXPECT_NE(one.targets[prompt], '~');
    EXPECT_EQ(one.targets.find('_'), std::string::npos);
  }
}
INSTANTIATE_TEST_SUITE_P(Registry, Encoders, ::testing::ValuesIn(answer_tasks(Direction::bidirectional, "_")),
                         [](const auto& info) { return info.param; });

class Labels : public ::testing::TestWithParam<std::string> {};

// The prompt is all that is read, as many symbols for each unit of length, and the last unit is asked for something.
TEST_P(Labels, AnswerWithinThePromptUpToItsEnd) {
  const auto task = make_task(GetParam());
  for (const Index length : {1, 2, 9}) {
    const Pair one = example(*task, 3, length);
    ASSERT_EQ(std::ssize(one.tokens), task->seq_len(length));
    EXPECT_EQ(one.tokens.size() % static_cast<std::size_t>(length), 0U);
    const std::size_t symbols = one.tokens.size() / static_cast<std::size_t>(length);
    EXPECT_NE(one.targets.substr(one.targets.size() - symbols), std::string(symbols, '~'));
  }
}
INSTANTIATE_TEST_SUITE_P(Registry, Labels, ::testing::ValuesIn(answer_tasks(Direction::causal, "")),
                         [](const auto& info) { return info.param; });

// Answers to the prompt a, of another length than it says by `more`.
Exercises uneven(Layout layout, Index more) {
  return {.name = "uneven",
          .layout = layout,
          .alphabet = "ab",
          .prompt_length = single,
          .answer_length = as_n,
          .draw = [more](Random& /*random*/, Index n) {
            return Exercise{"a", repeated(n + more, 'b')};
          }};
}

TEST(AnswersOfATask, HaveTheLengthThatItSays) {
  const auto draw = [](Layout layout, Index more) { return example(AnswerTask(uneven(layout, more)), 0, 4); };
  EXPECT_EQ(draw(Layout::transcript, 0).tokens, "a|bbbb");
  EXPECT_EQ(draw(Layout::tape, -1).targets, "~bbb~") << "shorter answers leave the rest of a tape empty";
  const auto expect_refused = [&](Layout layout, Index more, const std::string& lengths) {
    EXPECT_THAT([&] { draw(layout, more); },
                ThrowsMessage<DataError>(HasSubstr("task uneven: got a prompt and an answer of " + lengths)));
  };
  expect_refused(Layout::transcript, -1, "1 and 3 symbols at length 4, expected 1 and 4, as");
  expect_refused(Layout::transcript, 1, "1 and 5 symbols at length 4, expected 1 and 4, as");
  expect_refused(Layout::tape, 1, "1 and 5 symbols at length 4, expected 1 and at most 4, as");
  EXPECT_EQ(draw(Layout::labels, -3).targets, "b") << "as long as the prompt";
  expect_refused(Layout::labels, 0, "1 and 4 symbols at length 4, expected 1 and 1, as");
}

TEST(AnswersOfATask, LeaveOutPlacesWhereNothingIsAsked) {
  const AnswerTask task({.name = "gaps",
                         .layout = Layout::labels,
                         .alphabet = "ab",
                         .prompt_length = [](Index /*n*/) -> Index { return 3; },
                         .draw =
                             [](Random& /*random*/, Index /*n*/) {
                               return Exercise{"abb", "_a_"};
                             }});
  EXPECT_EQ(task.alphabet().size(), 2);
  EXPECT_EQ(example(task, 0, 3).tokens, "abb");
  EXPECT_EQ(example(task, 0, 3).targets, "~a~");
}

class Answers : public ::testing::TestWithParam<std::string> {};

TEST_P(Answers, ToLengthsThatCannotBeMadeAreRefused) {
  const auto task = make_task(GetParam());
  EXPECT_NO_THROW(task->check_length(1));
  for (const Index wrong : {0, -1, 100'001}) {
    EXPECT_THAT(
        [&] { task->check_length(wrong); },
        ThrowsMessage<DataError>(HasSubstr("task " + GetParam() + ": got length " + std::to_string(wrong))));
  }
}

TEST_P(Answers, AreLearnedOnLengthsUpToTheLongest) {
  EXPECT_TRUE(make_task(GetParam())->varies_length());
  EXPECT_EQ(make_task(GetParam())->gate()->threshold, 0.9);
}

// Generation starts from a prompt that the task has symbols for.
TEST_P(Answers, HaveABeginning) {
  const Alphabet alphabet = task_alphabet({GetParam()});
  EXPECT_NO_THROW(alphabet.encode(alphabet.beginning()));
}

// The example of --list is one of the task.
TEST_P(Answers, AreDescribed) {
  EXPECT_THAT(tasks().find(GetParam()).definition, HasSubstr("For example, at length 8: "));
  EXPECT_THAT(make_task(GetParam())->describe(),
              HasSubstr(GetParam() + ": " + tasks().find(GetParam()).summary));
}

std::vector<std::string> all_answer_tasks() {
  std::vector<std::string> names = answer_tasks(Direction::causal, "|");
  std::ranges::copy(answer_tasks(Direction::causal, ""), std::back_inserter(names));
  std::ranges::copy(answer_tasks(Direction::bidirectional, "_"), std::back_inserter(names));
  return names;
}
INSTANTIATE_TEST_SUITE_P(Registry, Answers, ::testing::ValuesIn(all_answer_tasks()),
                         [](const auto& info) { return info.param; });

// Keys stand at even places; the one that is asked also ends the prompt.
std::size_t place_of_asked(const std::string& prompt, std::size_t first) {
  std::vector<std::size_t> places;
  for (std::size_t i = first; i + 1 < prompt.size(); i += 2) {
    if (prompt[i] == prompt.back()) places.push_back(i);
  }
  EXPECT_EQ(places.size(), 1U) << "it occurs once";
  return places.empty() ? first : places[0];
}

std::string sum_modulo(const std::string& prompt, int modulus) {
  int sum = 0;
  for (const char digit : prompt) sum += digit - '0';
  return std::to_string(sum % modulus);
}

// The noun after the only article.
std::string number_of_noun(const std::string& prompt) {
  const std::size_t article = prompt.find('t');
  EXPECT_EQ(prompt.find('t', article + 1), std::string::npos);
  return std::isupper(prompt.at(article + 1)) != 0 ? "R" : "r";
}

// By sorting; nothing if two are there as often.
std::string most_frequent(const std::string& prompt) {
  std::map<char, int> counts;
  for (const char letter : prompt) ++counts[letter];
  std::vector<std::pair<int, char>> order;
  for (const auto& [letter, count] : counts) order.emplace_back(count, letter);
  std::sort(order.rbegin(), order.rend());
  if (order.size() > 1 && order[0].first == order[1].first) return "";
  return {order[0].second};
}

TEST(AnswersOfATask, FollowFromThePrompt) {
  using Text = const std::string&;
  const std::map<std::string, std::function<std::string(Text)>> answers = {
      {"copy", [](Text prompt) { return prompt + "."; }},
      {"reverse", [](Text prompt) { return backwards(prompt) + "."; }},
      {"copy_repeat", [](Text prompt) { return std::string(prompt.size(), prompt[0]) + "."; }},
      {"replace", [](Text prompt) { return std::string(prompt.size() - 2, prompt.back()) + "."; }},
      {"sort", [](Text prompt) { return sorted(prompt) + "."; }},
      {"mode", most_frequent},
      {"sum", [](Text prompt) { return sum_modulo(prompt, 10); }},
      {"sum(modulus=3)", [](Text prompt) { return sum_modulo(prompt, 3); }},
      {"parity", [](Text prompt) { return sum_modulo(prompt, 2); }},
      {"parity_check", [](Text prompt) { return sum_modulo(prompt, 2); }},
      {"even_pairs", [](Text prompt) { return prompt.front() == prompt.back() ? "0" : "1"; }},
      {"agreement", number_of_noun},
      {"pronoun",  // the last name of its gender
       [](Text prompt) {
         const char* names = prompt.back() == 's' ? "ABCDEFGH" : "IJKLMNOP";
         return prompt.substr(prompt.find_last_of(names), 1);
       }},
      {"negation", [](Text prompt) { return prompt.substr(place_of_asked(prompt, 1) - 1, 1); }},
      {"reverse_string", backwards},
      {"bucket_sort", sorted}};
  for (const auto& task : answers) {
    for_examples(task.first,
                 [&](Text prompt, Text answer) { EXPECT_EQ(answer, task.second(prompt)) << task.first; });
  }
}

TEST(Copy, HasNoLetterTwiceWhereTheyAreUnique) {
  for_examples("copy(symbols=12, unique=true)", [](const std::string& prompt, const std::string& answer) {
    EXPECT_EQ(answer, prompt + ".");
    EXPECT_EQ(std::set<char>(prompt.begin(), prompt.end()).size(), prompt.size());
  });
  EXPECT_THAT([] { make_task("copy(symbols=12, unique=true)")->check_length(13); },
              ThrowsMessage<DataError>(HasSubstr("got length 13, expected 1 to 12")));
}

TEST(CopyRepeat, AsksForASingleLetter) {
  for_examples("copy_repeat", [](const std::string& prompt, const std::string& /*answer*/) {
    EXPECT_EQ(prompt, std::string(prompt.size(), prompt[0]));
  });
}

TEST(Replace, AsksForAnotherLetter) {
  for_examples("replace", [](const std::string& prompt, const std::string& /*answer*/) {
    EXPECT_NE(prompt.front(), prompt.back());
  });
}

TEST(Count, WritesTheRunBetweenTwoLetters) {
  const std::string row = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  for_examples("count", [&](const std::string& prompt, const std::string& answer) {
    ASSERT_EQ(prompt.size(), 2U);
    EXPECT_EQ(answer, row.substr(row.find(prompt[0]), row.find(prompt[1]) + 1 - row.find(prompt[0])) + ".");
  });
}

TEST(Count, BeginsAtAnyLetterThatLeavesRoom) {
  const auto task = make_task("count(symbols=5)");
  std::set<char> first;
  for (std::uint32_t i = 0; i < 100; ++i) first.insert(example(*task, i, 3).tokens.front());
  EXPECT_EQ(first, (std::set<char>{'a', 'b', 'c'}));
  EXPECT_THAT([&] { task->check_length(6); },
              ThrowsMessage<DataError>(HasSubstr("got length 6, expected 1 to 5")));
}

TEST(AnswersOfATask, RefuseOptionsOutOfRange) {
  for (const std::string wrong :
       {"flip_flop(ignore=-0.1)", "flip_flop(ignore=1.1)", "permutations(elements=1)",
        "permutations(elements=8)", "count(symbols=2)", "count(symbols=63)", "addition(hints=2)"}) {
    EXPECT_THROW(make_task(wrong), ConfigError) << wrong;
  }
}

// A key has one value, wherever it occurs, and the one that is asked does occur.
TEST(AssociativeRecall, AsksForTheValueOfAKey) {
  for_examples("associative_recall(keys=4)", [](const std::string& prompt, const std::string& answer) {
    std::map<char, char> values;
    for (std::size_t i = 0; i + 1 < prompt.size(); i += 2) {
      EXPECT_EQ(values.try_emplace(prompt[i], prompt[i + 1]).first->second, prompt[i + 1]);
    }
    ASSERT_TRUE(values.contains(prompt.back()));
    EXPECT_EQ(answer, std::string(1, values[prompt.back()]));
  });
}

TEST(Needle, AsksForTheValueOfAKeyThatOccursOnceAtItsDepth) {
  for (const auto& [name, depth] : {std::pair{"needle", 0.0},
                                    {"needle(depth=1e-9)", 1e-9},
                                    {"needle(depth=0.01)", 0.01},
                                    {"needle(depth=0.5)", 0.5},
                                    {"needle(depth=1)", 1.0}}) {
    const double at = depth;
    for_examples(name, [at](const std::string& prompt, const std::string& answer) {
      const std::size_t place = place_of_asked(prompt, 0);
      EXPECT_EQ(answer, prompt.substr(place + 1, 1));
      const std::size_t pairs = prompt.size() / 2;
      const std::size_t before = place / 2;
      EXPECT_TRUE(at == 0.0 ||
                  static_cast<double>(before) == std::ceil(at * static_cast<double>(pairs)) - 1.0);
    });
  }
}

TEST(Needle, MayStandAnywhereUnlessItsDepthIsGiven) {
  const auto task = make_task("needle");
  std::set<std::size_t> places;
  for (std::uint32_t i = 0; i < 200; ++i) places.insert(place_of_asked(example(*task, i, 4).prompt(), 0));
  EXPECT_EQ(places, (std::set<std::size_t>{0, 2, 4, 6}));
}

TEST(Order, AsksForTheFirstOfTwoNamesInEitherOrder) {
  std::set<std::string> both;
  for_examples("order(names=2)", [&](const std::string& prompt, const std::string& answer) {
    const std::size_t first = prompt.find_first_of("AB");
    const std::size_t last = prompt.find_last_of("AB");
    EXPECT_NE(prompt[first], prompt[last]);
    EXPECT_EQ(prompt.find_first_of("AB", first + 1), last);
    EXPECT_EQ(answer, prompt.substr(first, 1));
    both.insert(answer);
  });
  EXPECT_EQ(both.size(), 2U);
}

// Other nouns are of either number, so a reader who takes the last noun is right half of the time.
TEST(Agreement, HasAttractors) {
  const auto task = make_task("agreement");
  int attracted = 0;
  for (std::uint32_t i = 0; i < 400; ++i) {
    const Pair one = example(*task, i, 12);
    attracted += (std::isupper(one.prompt().back()) != 0) == (one.answer() == "R") ? 1 : 0;
  }
  EXPECT_NEAR(attracted / 400.0, 0.5 + 0.5 / 12.0, 0.08);
}

TEST(OddsFirst, StartsWithTheFirstAndTheThirdSymbol) {
  for_examples("odds_first(symbols=10)", [](const std::string& prompt, const std::string& answer) {
    EXPECT_EQ(answer[0], prompt[0]);
    EXPECT_TRUE(prompt.size() < 3 || answer[1] == prompt[2]);
    EXPECT_EQ(sorted(answer), sorted(prompt));
  });
}

TEST(MissingDuplicate, CompletesTwoEqualHalves) {
  for_examples("missing_duplicate", [](std::string prompt, const std::string& answer) {
    if (prompt.size() == 1) return;
    prompt[prompt.find('2')] = answer[0];
    const std::size_t half = prompt.size() / 2;
    EXPECT_EQ(prompt.substr(0, half), prompt.substr(half, half));
  });
}

TEST(ComputeSqrt, IsTheLargestNumberWhoseSquareFits) {
  for_examples("compute_sqrt", [](const std::string& prompt, const std::string& answer) {
    const long long root = number(answer, 2);
    EXPECT_LE(root * root, number(prompt, 2));
    EXPECT_GT((root + 1) * (root + 1), number(prompt, 2));
  });
}

TEST(BinaryArithmetic, OfASingleNumberLeavesOutTheOneOfOnesAlone) {
  for (const char* name : {"binary_addition", "binary_multiplication"}) {
    const auto task = make_task(name);
    std::set<std::string> inputs;
    for (const Index length : {1, 2}) {
      for (std::uint32_t i = 0; i < 100; ++i) inputs.insert(example(*task, i, length).prompt());
    }
    EXPECT_EQ(inputs, (std::set<std::string>{"0", "00", "10", "01"})) << name;
  }
}

TEST(BinaryArithmetic, IsThatOfTheNumbers) {
  for (const bool product : {false, true}) {
    for_examples(product ? "binary_multiplication" : "binary_addition",
                 [product](const std::string& prompt, const std::string& answer) {
                   const std::size_t between = prompt.find('2');
                   if (between == std::string::npos) return;  // a single number
                   const long long a = number(backwards(prompt.substr(0, between)), 2);
                   const long long b = number(backwards(prompt.substr(between + 1)), 2);
                   ASSERT_EQ(answer.back(), '2');
                   const std::string bits = backwards(answer.substr(0, answer.size() - 1));
                   EXPECT_EQ(number(bits, 2), product ? a * b : a + b);
                   EXPECT_EQ(bits.front(), '1');
                 });
  }
}

}  // namespace
}  // namespace ordinal::experiments
