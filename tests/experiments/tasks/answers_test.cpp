// Properties of the tasks that give a prompt and ask for its answer. The answers are in reference_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/tasks/answer_task.h"
#include "framework/core/errors.h"
#include "tests/experiments/tasks/examples.h"

namespace ordinal::experiments {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// The tokens and targets of an example.
std::pair<std::string, std::string> texts(const Task& task, Index length) {
  const Example one = example(task, {}, length);
  return {text_of(task, one.tokens), text_of(task, one.targets)};
}

// What its layout adds to an alphabet: the separator of a decoder, the empty token of an encoder, or nothing.
std::string mark_of(const std::string& symbols) {
  const std::size_t mark = symbols.find_first_of("|_");
  return mark == std::string::npos ? "" : symbols.substr(mark, 1);
}

std::vector<std::string> answer_tasks(Direction direction, const std::string& mark) {
  std::vector<std::string> names;
  for (const TaskEntry& entry : tasks().entries()) {
    if (entry.name == "text" || entry.direction != direction) continue;
    const auto task = make_task(entry.name);
    if (task->measure() != Measure::accuracy || !task->classes().empty()) continue;
    if (mark_of(task_alphabet({entry.name}).symbols()) == mark) names.push_back(entry.name);
  }
  return names;
}

class Decoders : public ::testing::TestWithParam<std::string> {};

// The targets are the next tokens, from the separator on, and nothing before it is asked.
TEST_P(Decoders, AreAskedForTheNextTokensAfterTheSeparator) {
  const auto task = make_task(GetParam());
  for (const Index length : {1, 2, 9}) {
    const auto [tokens, targets] = texts(*task, length);
    ASSERT_EQ(std::ssize(tokens), task->seq_len(length));
    const std::size_t separator = tokens.find('|');
    ASSERT_NE(separator, std::string::npos);
    EXPECT_EQ(targets.substr(0, separator), std::string(separator, '~'));
    EXPECT_EQ(targets.find('~', separator), std::string::npos);
    EXPECT_EQ(tokens.substr(separator + 1) + targets.back(), targets.substr(separator));
  }
}
INSTANTIATE_TEST_SUITE_P(Registry, Decoders, ::testing::ValuesIn(answer_tasks(Direction::causal, "|")),
                         [](const auto& info) { return info.param; });

class Encoders : public ::testing::TestWithParam<std::string> {};

// No token of the answer is in the input.
TEST_P(Encoders, AnswerInPlaceOfEmptyTokens) {
  const auto task = make_task(GetParam());
  for (const Index length : {1, 2, 9}) {
    const auto [tokens, targets] = texts(*task, length);
    const std::size_t prompt = tokens.find('_');
    ASSERT_NE(prompt, std::string::npos);
    EXPECT_EQ(tokens.substr(prompt), std::string(tokens.size() - prompt, '_'));
    EXPECT_EQ(targets.substr(0, prompt), std::string(prompt, '~'));
    EXPECT_NE(targets[prompt], '~');
    EXPECT_EQ(targets.find('_'), std::string::npos);
  }
}
INSTANTIATE_TEST_SUITE_P(Registry, Encoders, ::testing::ValuesIn(answer_tasks(Direction::bidirectional, "_")),
                         [](const auto& info) { return info.param; });

class Labels : public ::testing::TestWithParam<std::string> {};

// The prompt is all that is read, as many symbols for each unit of length, and the last unit is asked for something.
TEST_P(Labels, AnswerWithinThePromptUpToItsEnd) {
  const auto task = make_task(GetParam());
  for (const Index length : {1, 2, 9}) {
    const auto [tokens, targets] = texts(*task, length);
    ASSERT_EQ(std::ssize(tokens), task->seq_len(length));
    EXPECT_EQ(tokens.size() % static_cast<std::size_t>(length), 0U);
    const std::size_t symbols = tokens.size() / static_cast<std::size_t>(length);
    EXPECT_NE(targets.substr(targets.size() - symbols), std::string(symbols, '~'));
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
  const auto draw = [](Layout layout, Index more) { return texts(AnswerTask(uneven(layout, more)), 4); };
  EXPECT_EQ(draw(Layout::transcript, 0).first, "a|bbbb");
  EXPECT_EQ(draw(Layout::tape, -1).second, "~bbb~") << "shorter answers leave the rest of a tape empty";
  const auto expect_refused = [&](Layout layout, Index more, const std::string& lengths) {
    EXPECT_THAT([&] { draw(layout, more); },
                ThrowsMessage<DataError>(HasSubstr("task uneven: got a prompt and an answer of " + lengths)));
  };
  expect_refused(Layout::transcript, -1, "1 and 3 symbols at length 4, expected 1 and 4, as");
  expect_refused(Layout::transcript, 1, "1 and 5 symbols at length 4, expected 1 and 4, as");
  expect_refused(Layout::tape, 1, "1 and 5 symbols at length 4, expected 1 and at most 4, as");
  EXPECT_EQ(draw(Layout::labels, -3).second, "b") << "as long as the prompt";
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
  EXPECT_EQ(texts(task, 3), std::pair(std::string("abb"), std::string("~a~")));
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

TEST(GeneratedTasks, RefuseLengthsThatCannotBeMade) {
  for (const auto& [name, most] : {std::pair<std::string, Index>("language", 10'000'000),
                                   {"copy(symbols=12, unique=true)", 12},
                                   {"count(symbols=5)", 5},
                                   {"addition(hints=true)", 51}}) {
    const auto task = make_task(name);
    const std::string expected = ", expected 1 to " + std::to_string(most);
    for (const Index right : {Index{1}, most}) EXPECT_NO_THROW(task->check_length(right)) << name;
    for (const Index wrong : {Index{0}, Index{-1}, most + 1}) {
      EXPECT_THAT([&] { task->check_length(wrong); },
                  ThrowsMessage<DataError>(HasSubstr("got length " + std::to_string(wrong) + expected)))
          << name;
    }
  }
}

TEST(GeneratedTasks, RefuseOptionsOutOfRange) {
  for (const std::string wrong :
       {"flip_flop(ignore=-0.1)", "flip_flop(ignore=1.1)", "permutations(elements=1)",
        "permutations(elements=8)", "count(symbols=2)", "count(symbols=63)", "addition(hints=2)",
        "copy(symbols=1)", "copy(symbols=63)", "reverse(symbols=x)", "copy(letters=5)", "mlm(rate=0)",
        "mlm(rate=1.5)", "mlm(rate=x)"}) {
    EXPECT_THROW(make_task(wrong), ConfigError) << wrong;
  }
}

TEST(GeneratedTasks, HaveTheirOptionsInTheirData) {
  for (const auto& [other, same, plain] :
       std::vector<std::array<std::string, 3>>{{"copy(symbols=3)", "copy(symbols=16)", "copy"},
                                               {"reverse(symbols=3)", "reverse(symbols=16)", "reverse"},
                                               {"mlm(rate=0.3)", "mlm(rate=0.15)", "mlm"}}) {
    EXPECT_NE(make_task(other)->data_hash(), make_task(plain)->data_hash()) << other;
    EXPECT_EQ(make_task(same)->data_hash(), make_task(plain)->data_hash()) << same;
  }
  for (const std::string task : {"copy", "reverse"})
    EXPECT_EQ(task_alphabet({task, {{"symbols", "3"}}}).symbols(), "abc|.");
}

TEST(Addition, NumbersItsTokensAsItsDefinitionSays) {
  EXPECT_THAT(
      tasks().find("addition").definition,
      HasSubstr("0 … 9, +, with scratchpad =, with hints a … z and A … Z, then | and the full stop."));
  const std::string hints = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  for (const bool scratchpad : {false, true}) {
    for (const bool hinted : {false, true}) {
      const Part part{"addition",
                      {{"scratchpad", scratchpad ? "true" : "false"}, {"hints", hinted ? "true" : "false"}}};
      EXPECT_EQ(task_alphabet(part).symbols(),
                std::string("0123456789+") + (scratchpad ? "=" : "") + (hinted ? hints : "") + "|.");
    }
  }
}

}  // namespace
}  // namespace ordinal::experiments
