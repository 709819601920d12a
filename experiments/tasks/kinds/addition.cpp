// addition: the sum of two numbers of n digits (Kazemnejad et al. 2023). Both numbers and the sum have a fixed
// number of digits, so that position coupling and Abacus can align them (Cho et al. 2024, McLeish et al. 2024).
#include <algorithm>

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

struct Addition final : Exercises {
  std::string reversed = "none";
  void visit(OptionVisitor& v) {
    v.choice("reversed", reversed, {"none", "answer", "all"},
             "which numbers are written from their last digit to the first");
  }

  std::string name() const override { return "addition"; }
  std::string summary() const override {
    return "the sum of two numbers of n digits (Kazemnejad et al. 2023)";
  }
  Layout layout() const override { return Layout::transcript; }
  std::string alphabet() const override { return digits(10) + "+"; }
  Index prompt_length(Index n) const override { return 2 * n + 1; }
  Index answer_length(Index n) const override { return n + 1; }
  Exercise draw(Random& random, Index n) const override {
    std::string a = number(random, n);
    std::string b = number(random, n);
    std::string sum = decimal_sum(a, b);
    if (reversed == "all") {
      std::ranges::reverse(a);
      std::ranges::reverse(b);
    }
    if (reversed != "none") std::ranges::reverse(sum);
    return {a + '+' + b, sum};
  }

  // Digits of equal significance share a number: 1 for the first digit of the sum, 2 … n + 1 for those of the numbers
  // from the most significant one, and n + 2 for + and the separator.
  std::vector<Index> coupled(const Exercise& exercise) const override {
    const Index n = exercise.prompt.size() / 2;
    std::vector<Index> positions;
    for (int number = 0; number < 2; ++number) {
      for (Index i = 0; i < n; ++i) positions.push_back(reversed == "all" ? n + 1 - i : i + 2);
      positions.push_back(n + 2);
    }
    for (Index i = 0; i < std::ssize(exercise.answer); ++i) {
      positions.push_back(reversed == "none" ? i + 1 : n + 1 - i);
    }
    return positions;
  }

 private:
  // Without a leading zero, unless it is a single digit.
  static std::string number(Random& random, Index n) {
    if (n == 1) return draw_symbols(random, 1, digits(10));
    const char first = draw_symbol(random, "123456789");
    return first + draw_symbols(random, n - 1, digits(10));
  }
};

}  // namespace

TaskEntry addition_task() {
  return answer_task<Addition>(
      R"(The prompt is two numbers of n digits with + between them. Digits are drawn from the first to the last,
each any; the first digit of several is 1 to 9. The answer is their sum with n + 1 digits, with a leading
zero if it has fewer. With reversed = answer the sum is written from its last digit to the first, with all
the two numbers, too. With positions = task, digits of equal significance share a number c: 1 for the first digit
of the sum, 2 … n + 1 for those of the numbers from the most significant one, n + 2 for + and the separator.)");
}

}  // namespace ordinal::experiments
