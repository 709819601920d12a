// modular_arithmetic_simple, modular_arithmetic and solve_equation: expressions modulo 5. Encoder tasks of Delétang et
// al. 2023 and Ruoss et al. 2023.
#include <fmt/format.h>

#include "experiments/tasks/answer_task.h"

namespace ordinal::experiments {
namespace {

struct ModularExercises : Exercises {
  Index modulus = 5;
  void visit(OptionVisitor& v) {
    v.integer("modulus", modulus, between(2, 10), "numbers and results are below it");
  }
  Layout layout() const override { return Layout::tape; }
  Index answer_length(Index /*n*/) const override { return 1; }

 protected:
  char digit(Index value) const { return static_cast<char>('0' + (value % modulus + modulus) % modulus); }
};

Index applied(Index a, char operation, Index b) {
  if (operation == '*') return a * b;
  return operation == '+' ? a + b : a - b;
}

// Without brackets: an odd number of symbols.
struct SimpleModularArithmetic final : ModularExercises {
  std::string name() const override { return "modular_arithmetic_simple"; }
  std::string summary() const override {
    return "the value of an expression without brackets, modulo 5 (Delétang et al. 2023)";
  }
  std::string alphabet() const override { return digits(modulus) + "+-*"; }
  Index prompt_length(Index n) const override { return n + 1 - n % 2; }
  Exercise draw(Random& random, Index n) const override {
    std::string text = draw_symbols(random, 1, digits(modulus));
    while (std::ssize(text) < n) {
      text += draw_symbol(random, "+-*");
      text += draw_symbol(random, digits(modulus));
    }
    return {text, {digit(value_of(text))}};
  }

 private:
  // The sum of products that are complete, and the product that is not.
  Index value_of(const std::string& text) const {
    Index sum = 0;
    Index product = text[0] - '0';
    for (std::size_t i = 2; i < text.size(); i += 2) {
      const Index next = text[i] - '0';
      if (text[i - 1] == '*') {
        product = product * next % modulus;
      } else {
        sum = (sum + product) % modulus;
        product = text[i - 1] == '+' ? next : -next;
      }
    }
    return sum + product;
  }
};

struct Expression {
  std::string text;
  Index value = 0;
};

// An expression of exactly n symbols with brackets around every operation.
Expression draw_expression(Random& random, Index n, Index modulus, std::string_view operations) {
  if (n < 5) {
    const Index value = draw_index(random, modulus);
    const std::string digit = std::to_string(value);
    if (n == 1) return {digit, value};
    if (n == 2) return {"-" + digit, -value};
    return n == 3 ? Expression{"(" + digit + ")", value} : Expression{"(-" + digit + ")", -value};
  }
  const Index left_length = 1 + draw_index(random, n - 4);
  const Expression left = draw_expression(random, left_length, modulus, operations);
  const Expression right = draw_expression(random, n - left_length - 3, modulus, operations);
  const char operation = draw_symbol(random, operations);
  return {"(" + left.text + operation + right.text + ")",
          applied(left.value, operation, right.value) % modulus};
}

struct ModularArithmetic final : ModularExercises {
  std::string name() const override { return "modular_arithmetic"; }
  std::string summary() const override {
    return "the value of an expression with brackets, modulo 5 (Delétang et al. 2023)";
  }
  std::string alphabet() const override { return digits(modulus) + "+-*()"; }
  Exercise draw(Random& random, Index n) const override {
    const Expression one = draw_expression(random, n, modulus, "+-*");
    return {one.text, {digit(one.value)}};
  }
};

struct SolveEquation final : ModularExercises {
  std::string name() const override { return "solve_equation"; }
  std::string summary() const override {
    return "the unknown of an equation with brackets, modulo 5 (Delétang et al. 2023)";
  }
  std::string alphabet() const override { return digits(modulus) + "+-()x="; }
  Exercise draw(Random& random, Index n) const override {
    if (n < 3) return {std::string(static_cast<std::size_t>(n), '0'), "0"};
    const Expression one = draw_expression(random, n - 2, modulus, "+-");
    std::string text = one.text;
    std::size_t unknown = static_cast<std::size_t>(draw_index(random, std::ssize(text)));
    while (text[unknown] < '0' || text[unknown] > '9') unknown = (unknown + 1) % text.size();
    const std::string answer = {text[unknown]};
    text[unknown] = 'x';
    return {text + '=' + digit(one.value), answer};
  }
};

const std::string_view expressions =
    R"(An expression of n symbols is a digit d below `modulus` (n = 1), -d (2), (d) (3), (-d) (4), or else (a∘b): a
has k symbols, k any of 1 … n-4, b has n-k-3, and ∘ is any of the operations; k, a, b and ∘ are drawn in
this order.
)";

}  // namespace

TaskEntry modular_arithmetic_simple_task() {
  return answer_task<SimpleModularArithmetic>(
      R"(The input is digits below `modulus` with any of +, - and * between them, n symbols in all, or n + 1 if n
is even (as in the paper; its code takes n - 1). The answer is its value modulo `modulus`.)");
}

TaskEntry modular_arithmetic_task() {
  return answer_task<ModularArithmetic>(fmt::format(
      R"({}The input is such an expression with the operations +, - and *; the answer is its value modulo `modulus`.)",
      expressions));
}

TaskEntry solve_equation_task() {
  return answer_task<SolveEquation>(fmt::format(
      R"({}The input is such an expression of n - 2 symbols with the operations + and -, then = and its value modulo
`modulus`. One of its digits is replaced by x: of a symbol of the expression, any of them, the first digit
there or after it (after the last symbol comes the first). The answer is that digit. At lengths 1 and 2 the
input is zeros, and the answer 0.)",
      expressions));
}

}  // namespace ordinal::experiments
