// addition, sum and parity (Kazemnejad et al. 2023). In addition both numbers and the sum have a fixed number of digits,
// so that position coupling, Abacus and index hints can align them (Cho et al. 2024, McLeish et al. 2024, Zhou et al. 2023).
#include "experiments/tasks/answer_task.h"

namespace ordinal::experiments {
namespace {

// Without a leading zero, unless it is a single digit.
std::string draw_number(Random& random, Index n) {
  if (n == 1) return draw_symbols(random, 1, digits(10));
  const char first = draw_symbol(random, "123456789");
  return first + draw_symbols(random, n - 1, digits(10));
}

struct AdditionFormat {
  std::string reversed = "none";
  bool hints = false;
  bool scratchpad = false;
  void visit(OptionVisitor& v) {
    v.choice("reversed", reversed, {"none", "answer", "all"},
             "which numbers are written from their last digit to the first");
    v.flag("hints", hints, "a letter before each digit, the same for digits of equal significance");
    v.flag("scratchpad", scratchpad, "the answer begins with both digits and the carry of each place");
  }
};

constexpr Index hint_letters = 52;

// A number's digits from the first or from the last, each after its hint if there are hints.
std::string written(const std::string& number, const std::string& hints, bool backwards) {
  std::string text;
  for (std::size_t i = 0; i < number.size(); ++i) {
    const std::size_t place = backwards ? number.size() - 1 - i : i;
    if (!hints.empty()) text += hints[place];
    text += number[place];
  }
  return text;
}

Exercise draw_addition(Random& random, Index n, const AdditionFormat& format) {
  std::string a = draw_number(random, n);
  std::string b = draw_number(random, n);
  std::string hints;
  if (format.hints) {
    const auto first = static_cast<std::size_t>(draw_index(random, hint_letters - n));
    hints = letters(hint_letters).substr(first, a.size() + 1);
    a = '0' + a;
    b = '0' + b;
  }
  std::string sum;  // from its last digit
  std::string scratchpad;
  Index carry = 0;
  for (std::size_t i = a.size(); i-- > 0;) {
    const Index place = (a[i] - '0') + (b[i] - '0') + carry;
    carry = place / 10;
    sum += digit(place, 10);
    if (format.hints) scratchpad += hints[i];
    scratchpad += a.substr(i, 1) + b[i] + digit(carry, 10);
  }
  if (!format.hints) sum += digit(carry, 10);
  const bool all = format.reversed == "all";
  return {
      written(a, hints, all) + '+' + written(b, hints, all),
      (format.scratchpad ? scratchpad + '=' : "") + written(reversed(sum), hints, format.reversed != "none")};
}

// The same number for digits of equal significance; see Exercises::coupled.
Index coupled_place(const AdditionFormat& format, Index prompt, Index i) {
  const Index n = prompt / 2;
  if (i > prompt) return format.reversed != "none" ? n + 2 - (i - prompt) : i - prompt;
  const Index place = i % (n + 1);  // within its number; n: after it
  return place == n || format.reversed != "all" ? place + 2 : n + 1 - place;
}

Exercises addition(const AdditionFormat& format) {
  const Index digit_length = format.hints ? 2 : 1;
  const Index longer = format.hints ? 1 : 0;  // extra digits of the numbers as written
  Exercises exercises = {
      .name = "addition",
      .summary = "the sum of two numbers of n digits (Kazemnejad et al. 2023)",
      .definition =
          R"(The prompt is two numbers of n digits with + between them. Digits are drawn from the first to the last,
each any; the first digit of several is 1 to 9. The answer is their sum with n + 1 digits, with a leading
zero if it has fewer. With reversed = answer the sum is written from its last digit to the first, with all
the two numbers, too. With ids = coupled, digits of equal significance share a number c: 1 for the first digit
of the sum, 2 … n + 1 for those of the numbers from the most significant one, n + 2 for + and the separator.
With hints (Zhou et al. 2023) both numbers get a leading zero, and every digit a letter before it, the same
one for digits of equal significance. These n + 1 letters follow each other in a … z, A … Z from the most
significant digit on; the first is any that leaves room for them, drawn after the numbers. 54+37|091 may
become c0d5e4+c0d3e7|c0d9e1. With scratchpad (after Nye et al. 2021) the answer begins with the digits of both
numbers and the carry, for each place from the lowest, and =: 54+37|471530=091, or with hints
c0d5e4+c0d3e7|e471d530c000=c0d9e1. Neither can be used with positions = task. Tokens are numbered in the order
0 … 9, +, with scratchpad =, with hints a … z and A … Z, then | and the full stop.)",
      .alphabet =
          digits(10) + "+" + (format.scratchpad ? "=" : "") + (format.hints ? letters(hint_letters) : ""),
      .prompt_length = [=](Index n) { return 2 * digit_length * (n + longer) + 1; },
      .answer_length =
          [=, scratchpad = format.scratchpad](Index n) {
            const Index steps = scratchpad ? (digit_length + 2) * (n + longer) + 1 : 0;
            return steps + digit_length * (n + 1);
          },
      .longest = format.hints ? hint_letters - 1 : longest_prompt,
      .draw = [format](Random& random, Index n) { return draw_addition(random, n, format); }};
  if (!format.hints && !format.scratchpad) {
    exercises.coupled = [format](Index prompt, Index i) { return coupled_place(format, prompt, i); };
  }
  return exercises;
}

struct Modulus {
  Index modulus = 10;
  void visit(OptionVisitor& v) { v.integer("modulus", modulus, between(2, 10), "different digits"); }
};

Draw modular_sum(Index modulus) {
  return any_of(digits(modulus),
                [=](const std::string& text) { return digit(sum_of_digits(text), modulus); });
}

Exercises sum(const Modulus& options) {
  return {
      .name = "sum",
      .summary = "the sum of n digits modulo their number (Kazemnejad et al. 2023)",
      .definition =
          R"(The prompt is n digits, each any below `modulus`; the answer is their sum modulo that number.)",
      .alphabet = digits(options.modulus),
      .draw = modular_sum(options.modulus)};
}

Exercises parity(const NoOptions& /*none*/) {
  return {.name = "parity",
          .summary = "whether the number of ones among n bits is odd (Kazemnejad et al. 2023)",
          .definition = R"(The prompt is n bits; the answer is 1 if the number of ones is odd, else 0.)",
          .alphabet = digits(2),
          .draw = modular_sum(2)};
}

}  // namespace

std::vector<TaskEntry> numbers_tasks() {
  return {answer_task(addition), answer_task(sum), answer_task(parity)};
}

}  // namespace ordinal::experiments
