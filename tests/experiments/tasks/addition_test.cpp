// Addition in all its formats.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <set>

#include "framework/core/errors.h"
#include "tests/experiments/tasks/pair.h"

namespace ordinal::experiments {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(Addition, AnswersWithTheSum) {
  for (const std::string reversed : {"none", "answer", "all"}) {
    for_examples("addition(reversed=" + reversed + ")",
                 [&](const std::string& prompt, const std::string& answer) {
                   const std::size_t plus = prompt.find('+');
                   std::string a = prompt.substr(0, plus);
                   std::string b = prompt.substr(plus + 1);
                   std::string sum = answer.substr(0, answer.size() - 1);
                   ASSERT_EQ(a.size(), b.size());
                   ASSERT_EQ(sum.size(), a.size() + 1);
                   if (reversed != "none") sum = backwards(sum);
                   if (reversed == "all") {
                     a = backwards(a);
                     b = backwards(b);
                   }
                   EXPECT_EQ(number(sum, 10), number(a, 10) + number(b, 10));
                   EXPECT_TRUE(a.size() == 1 || (a[0] != '0' && b[0] != '0'));
                 });
  }
}

TEST(Addition, NumbersItsTokensAsItsDefinitionSays) {
  EXPECT_THAT(
      tasks().find("addition").definition,
      HasSubstr("0 … 9, +, with scratchpad =, with hints a … z and A … Z, then | and the full stop."));
  const std::string hints = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  for (const bool scratchpad : {false, true}) {
    for (const bool hinted : {false, true}) {
      const auto task = make_task(std::string("addition(scratchpad=") + (scratchpad ? "true" : "false") +
                                  ", hints=" + (hinted ? "true" : "false") + ")");
      EXPECT_EQ(task->alphabet().symbols(),
                std::string("0123456789+") + (scratchpad ? "=" : "") + (hinted ? hints : "") + "|.");
    }
  }
}

// Without letters, and without what is worked out before the =.
std::string bare(const std::string& text) {
  std::string digits;
  for (const char symbol : text) {
    if (symbol == '=') digits.erase(digits.find('|') + 1);
    if (std::isalpha(static_cast<unsigned char>(symbol)) == 0 && symbol != '=') digits += symbol;
  }
  return digits;
}

// Hints stand for a leading zero of both numbers, too.
TEST(Addition, OfEveryFormatIsOfTheSameNumbers) {
  for (const std::string reversed : {"none", "answer", "all"}) {
    const auto plain = make_task("addition(reversed=" + reversed + ")");
    const auto worked = make_task("addition(scratchpad=true, reversed=" + reversed + ")");
    const auto hinted = make_task("addition(hints=true, reversed=" + reversed + ")");
    const auto both = make_task("addition(hints=true, scratchpad=true, reversed=" + reversed + ")");
    for (std::uint32_t i = 0; i < 20; ++i) {
      for (const Index n : {1, 2, 7}) {
        const std::string text = example(*plain, i, n).tokens;
        const auto digits = static_cast<std::size_t>(n);
        const std::string a = text.substr(0, digits);
        const std::string b = text.substr(digits + 1, digits);
        const bool all = reversed == "all";
        const std::string padded = all ? a + "0+" + b + "0" : "0" + a + "+0" + b;
        EXPECT_EQ(bare(example(*worked, i, n).tokens), text);
        EXPECT_EQ(bare(example(*hinted, i, n).tokens), padded + text.substr(2 * digits + 1));
        EXPECT_EQ(bare(example(*both, i, n).tokens), padded + text.substr(2 * digits + 1));
      }
    }
  }
}

// The hint of each digit, from the most significant one.
std::string hints_of(const std::string& number, bool backward) {
  std::string hints;
  for (std::size_t i = 0; i < number.size(); i += 2) hints += number[i];
  return backward ? backwards(hints) : hints;
}

TEST(Addition, HasTheSameHintsForDigitsOfEqualSignificance) {
  const std::string letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  for (const std::string reversed : {"none", "answer", "all"}) {
    for_examples("addition(hints=true, reversed=" + reversed + ")",
                 [&](const std::string& prompt, const std::string& answer) {
                   const std::size_t plus = prompt.find('+');
                   const bool all = reversed == "all";
                   const std::string hints = hints_of(prompt.substr(0, plus), all);
                   EXPECT_NE(letters.find(hints), std::string::npos) << hints;
                   EXPECT_EQ(hints_of(prompt.substr(plus + 1), all), hints);
                   EXPECT_EQ(hints_of(answer.substr(0, answer.size() - 1), reversed != "none"), hints);
                 });
  }
}

// Of 52 letters 50 begin at a, b or c.
TEST(Addition, HasHintsFromAnyLetterThatLeavesRoom) {
  const auto task = make_task("addition(hints=true)");
  std::set<char> first;
  for (std::uint32_t i = 0; i < 100; ++i) first.insert(example(*task, i, 49).tokens.front());
  EXPECT_EQ(first, (std::set<char>{'a', 'b', 'c'}));
  EXPECT_NO_THROW(task->check_length(51));
  EXPECT_THAT([&] { task->check_length(52); },
              ThrowsMessage<DataError>(HasSubstr("got length 52, expected 1 to 51")));
}

// Digit i of the sum is that of both numbers and the carry before, less ten times the carry after.
TEST(Addition, IsWorkedOutFromTheLastDigit) {
  for_examples("addition(scratchpad=true)", [](const std::string& prompt, const std::string& answer) {
    const std::size_t n = prompt.find('+');
    ASSERT_EQ(answer.find('='), 3 * n);
    const std::string sum = answer.substr(3 * n + 1, n + 1);
    int carry = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const std::string step = answer.substr(3 * i, 3);
      EXPECT_EQ(step.substr(0, 2), std::string({prompt[n - 1 - i], prompt[prompt.size() - 1 - i]}));
      const int digits = (step[0] - '0') + (step[1] - '0') + carry;
      carry = step[2] - '0';
      EXPECT_EQ(digits - 10 * carry, sum[n - i] - '0');
    }
    EXPECT_EQ(carry, sum[0] - '0');
  });
}

}  // namespace
}  // namespace ordinal::experiments
