// addition, sum and parity (Kazemnejad et al. 2023). In addition both numbers and the sum have a fixed number of digits,
// so that position coupling and Abacus can align them (Cho et al. 2024, McLeish et al. 2024).
#include "experiments/tasks/answer_task.h"

namespace ordinal::experiments {
namespace {

// Numbers of equally many digits, from the first to the last; the sum has one digit more.
std::string decimal_sum(const std::string& a, const std::string& b) {
  std::string sum(a.size() + 1, '0');
  int carry = 0;
  for (std::size_t i = a.size(); i-- > 0;) {
    const int digit = (a[i] - '0') + (b[i] - '0') + carry;
    sum[i + 1] = static_cast<char>('0' + digit % 10);
    carry = digit / 10;
  }
  sum[0] = static_cast<char>('0' + carry);
  return sum;
}

// Without a leading zero, unless it is a single digit.
std::string draw_number(Random& random, Index n) {
  if (n == 1) return draw_symbols(random, 1, digits(10));
  const char first = draw_symbol(random, "123456789");
  return first + draw_symbols(random, n - 1, digits(10));
}

struct Order {
  std::string reversed = "none";
  void visit(OptionVisitor& v) {
    v.choice("reversed", reversed, {"none", "answer", "all"},
             "which numbers are written from their last digit to the first");
  }
};

Exercises addition(const Order& order) {
  const bool all = order.reversed == "all";
  const bool answer = order.reversed != "none";
  return {
      .name = "addition",
      .summary = "the sum of two numbers of n digits (Kazemnejad et al. 2023)",
      .definition =
          R"(The prompt is two numbers of n digits with + between them. Digits are drawn from the first to the last,
each any; the first digit of several is 1 to 9. The answer is their sum with n + 1 digits, with a leading
zero if it has fewer. With reversed = answer the sum is written from its last digit to the first, with all
the two numbers, too. With positions = task, digits of equal significance share a number c: 1 for the first digit
of the sum, 2 … n + 1 for those of the numbers from the most significant one, n + 2 for + and the separator.)",
      .layout = Layout::transcript,
      .alphabet = digits(10) + "+",
      .prompt_length = [](Index n) { return 2 * n + 1; },
      .answer_length = [](Index n) { return n + 1; },
      .draw =
          [=](Random& random, Index n) {
            const std::string a = draw_number(random, n);
            const std::string b = draw_number(random, n);
            const std::string sum = decimal_sum(a, b);
            return Exercise{all ? reversed(a) + '+' + reversed(b) : a + '+' + b,
                            answer ? reversed(sum) : sum};
          },
      .coupled =
          [=](Index prompt, Index i) {
            const Index n = prompt / 2;
            if (i > prompt) return answer ? n + 2 - (i - prompt) : i - prompt;
            const Index place = i % (n + 1);  // in its number; n: behind it
            return place == n || !all ? place + 2 : n + 1 - place;
          }};
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
