// Properties of the tasks that give a prompt and ask for its answer. What they read and answer is in reference_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "experiments/tasks/answer_task.h"
#include "framework/core/errors.h"
#include "tests/experiments/tasks/examples.h"
#include "tests/message_of.h"

namespace ordinal::experiments {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

// The tokens and targets of an example.
std::pair<std::string, std::string> texts(const Task& task, Index length) {
  const Example one = example(task, {}, length);
  return {text_of(task, one.tokens), text_of(task, one.targets)};
}

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
    EXPECT_THAT(message_of<DataError>([&] { draw(layout, more); }),
                HasSubstr("task uneven: got a prompt and an answer of " + lengths));
  };
  expect_refused(Layout::transcript, -1, "1 and 3 symbols at length 4, expected 1 and 4, as");
  expect_refused(Layout::transcript, 1, "1 and 5 symbols at length 4, expected 1 and 4, as");
  expect_refused(Layout::tape, 1, "1 and 5 symbols at length 4, expected 1 and at most 4, as");
  EXPECT_EQ(draw(Layout::labels, -3).second, "b") << "as long as the prompt";
  expect_refused(Layout::labels, 0, "1 and 4 symbols at length 4, expected 1 and 1, as");
}

class Answers : public ::testing::TestWithParam<std::string> {};

// Generation starts from a prompt that the task has symbols for.
TEST_P(Answers, HaveABeginning) {
  const Alphabet alphabet = task_alphabet({GetParam()});
  EXPECT_NO_THROW(alphabet.encode(alphabet.beginning()));
}

// The example of --list is one of the task, and has an answer.
TEST_P(Answers, AreDescribed) {
  EXPECT_THAT(tasks().find(GetParam()).definition, HasSubstr("\nFor example, at length "));
  EXPECT_THAT(tasks().find(GetParam()).definition, Not(ContainsRegex("answered by _*$")));
  EXPECT_THAT(make_task(GetParam())->describe(),
              HasSubstr(GetParam() + ": " + tasks().find(GetParam()).summary));
}

std::vector<std::string> answer_tasks() {
  std::vector<std::string> names;
  for (const std::string& name : tasks().names()) {
    if (lacks_file({name})) continue;
    if (dynamic_cast<const AnswerTask*>(make_task(name).get()) != nullptr) names.push_back(name);
  }
  return names;
}
INSTANTIATE_TEST_SUITE_P(Registry, Answers, ::testing::ValuesIn(answer_tasks()),
                         [](const auto& info) { return info.param; });

TEST(GeneratedTasks, RefuseLengthsThatCannotBeMade) {
  for (const auto& [name, most] : {std::pair<std::string, Index>("language", 10'000'000),
                                   {"sort", 100'000},
                                   {"copy(symbols=12, unique=true)", 12},
                                   {"count(symbols=5)", 5},
                                   {"addition(hints=true)", 51}}) {
    const auto task = make_task(name);
    const std::string expected = ", expected 1 to " + std::to_string(most);
    for (const Index right : {Index{1}, most}) EXPECT_NO_THROW(task->check_length(right)) << name;
    for (const Index wrong : {Index{0}, Index{-1}, most + 1}) {
      EXPECT_THAT(message_of<DataError>([&] { task->check_length(wrong); }),
                  HasSubstr("got length " + std::to_string(wrong) + expected))
          << name;
    }
  }
}

TEST(GeneratedTasks, RefuseOptionsOutOfRange) {
  for (const std::string wrong :
       {"flip_flop(ignore=-0.1)", "flip_flop(ignore=1.1)", "permutations(elements=1)",
        "permutations(elements=8)", "count(symbols=2)", "count(symbols=63)", "addition(hints=2)",
        "copy(symbols=1)", "copy(symbols=157)", "sort(range=0)", "reverse(symbols=x)", "copy(letters=5)",
        "mlm(rate=0)", "mlm(rate=1.5)", "mlm(rate=x)"}) {
    EXPECT_THROW(make_task(wrong), ConfigError) << wrong;
  }
}

TEST(GeneratedTasks, HaveTheirOptionsInTheirData) {
  for (const std::string name : {"copy", "reverse"}) {
    const std::string plain = make_task(name)->data_hash();
    EXPECT_NE(make_task(name + "(symbols=3)")->data_hash(), plain);
    EXPECT_EQ(make_task(name + "(symbols=16)")->data_hash(), plain);
    EXPECT_EQ(make_task(name + "(symbols=3)")->alphabet().symbols(), "abc|.");
  }
  EXPECT_NE(make_task("mlm(rate=0.3)")->data_hash(), make_task("mlm")->data_hash());
}

TEST(FramedAnswers, StandBetweenMarksBeforePadding) {
  const auto task = make_task("copy(symbols=3, unique=true, framed=true, range=2)");
  EXPECT_EQ(task->alphabet().symbols(), "abc|.^");
  EXPECT_EQ(task->seq_len(2), 6);
  std::map<std::size_t, int> lengths;
  for (std::uint32_t i = 0; i < 200; ++i) {
    const Example one = example(*task, {Split::training, 1, 0, i}, 2);
    const std::string read = text_of(*task, one.tokens);
    const std::string answer = read.substr(1, read.find('|') - 1);
    const std::string rest(2 * (2 - answer.size()), '|');
    EXPECT_EQ(read, "^" + answer + "|" + answer + rest);
    EXPECT_EQ(text_of(*task, one.targets),
              std::string(answer.size() + 1, '~') + answer + "." + std::string(rest.size(), '~'));
    ++lengths[answer.size()];
  }
  EXPECT_EQ(lengths.size(), 2U);
  EXPECT_NEAR(lengths[1], 100, 30) << "each length as often";
}

TEST(FramedAnswers, OfOneSymbolHaveAnEnd) {
  const auto task = make_task("mode(symbols=3, framed=true)");
  const Example one = example(*task, {}, 3);
  EXPECT_EQ(text_of(*task, one.tokens).size(), 6U);
  EXPECT_EQ(text_of(*task, one.targets).substr(0, 4), "~~~~");
  EXPECT_EQ(text_of(*task, one.targets).back(), '.');
}

TEST(Sort, OrdersManyDifferentSymbolsAsTheirTokens) {
  const auto task = make_task("sort(symbols=156, unique=true)");
  const Example one = example(*task, {}, 156);
  EXPECT_EQ(std::set<Token>(one.tokens.begin(), one.tokens.begin() + 156).size(), 156U);
  for (Token t = 0; t < 156; ++t) EXPECT_EQ(one.targets[static_cast<std::size_t>(156 + t)], t);
}

TEST(Alphabet, OfLatinLettersIsShownInUtf8) {
  const auto task = make_task("copy(symbols=156)");
  const Alphabet& alphabet = task->alphabet();
  const std::vector<Token> tokens = {0, 61, 62, 155};
  EXPECT_EQ(alphabet.decode(tokens), "a9¡ÿ");
  EXPECT_EQ(alphabet.encode("a9¡ÿ"), tokens);
  EXPECT_THAT(message_of<DataError>([&] { alphabet.encode("a€"); }), HasSubstr("got '€', expected"));
}

TEST(BinMajority, HasAnyNumberOfZerosButHalf) {
  const auto task = make_task("bin_majority");
  std::map<std::ptrdiff_t, int> zeros;
  for (std::uint32_t i = 0; i < 600; ++i) {
    const Example one = example(*task, {Split::training, 1, 0, i}, 6);
    const auto count = std::ranges::count(text_of(*task, one.tokens), '0');
    EXPECT_EQ(text_of(*task, one.targets).back(), count > 3 ? '0' : '1');
    ++zeros[count];
  }
  EXPECT_EQ(zeros.size(), 6U) << "0 to 6 but 3";
  for (const auto& [count, times] : zeros) EXPECT_NEAR(times, 100, 40) << count;
}

TEST(Addition, NumbersItsTokensAsItsDefinitionSays) {
  EXPECT_THAT(
      tasks().find("addition").definition,
      HasSubstr("0 … 9, +, with scratchpad =, with hints a … z and A … Z, then | and the full stop."));
  const std::string hints = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  const auto symbols = [](const std::string& task) { return make_task(task)->alphabet().symbols(); };
  EXPECT_EQ(symbols("addition"), "0123456789+|.");
  EXPECT_EQ(symbols("addition(scratchpad=true)"), "0123456789+=|.");
  EXPECT_EQ(symbols("addition(scratchpad=true, hints=true)"), "0123456789+=" + hints + "|.");
}

}  // namespace
}  // namespace ordinal::experiments
