// modular_arithmetic_simple, modular_arithmetic, solve_equation and stack_manipulation: expressions modulo 5, and the contents
// of a stack. Encoder tasks of Delétang et al. 2023 and Ruoss et al. 2023.
#include <fmt/format.h>

#include <utility>

#include "experiments/tasks/answer_task.h"

namespace ordinal::experiments {
namespace {

struct Residues {
  Index modulus = 5;
  void visit(OptionVisitor& v) {
    v.integer("modulus", modulus, between(2, 10), "numbers and results are below it");
  }
};

Exercises modular_arithmetic_simple(const Residues& options) {
  return {
      .name = "modular_arithmetic_simple",
      .summary = "the value of an expression without brackets, modulo 5 (Delétang et al. 2023)",
      .definition =
          R"(The input is digits below `modulus` with any of +, - and * between them, n symbols in all, or n + 1 if n
is even (as in the paper; its code takes n - 1). The answer is its value modulo `modulus`.)",
      .layout = Layout::tape,
      .alphabet = digits(options.modulus) + "+-*",
      .prompt_length = [](Index n) { return n + 1 - n % 2; },
      .draw =
          [modulus = options.modulus](Random& random, Index n) {
            std::string text = draw_symbols(random, 1, digits(modulus));
            Index sum = 0;                  // of the complete products
            Index product = text[0] - '0';  // the last one
            while (std::ssize(text) < n) {
              const char operation = draw_symbol(random, "+-*");
              const char next = draw_symbol(random, digits(modulus));
              text += {operation, next};
              if (operation != '*') sum += std::exchange(product, operation == '+' ? 1 : -1);
              product = product * (next - '0') % modulus;
            }
            return Exercise{text, digit(sum + product, modulus)};
          }};
}

struct Expression {
  std::string text;
  Index value = 0;
};

// An expression of exactly n symbols, with brackets around every operation.
Expression draw_expression(Random& random, Index n, Index modulus, std::string_view operations) {
  if (n < 5) {
    const Index value = draw_index(random, modulus);
    const std::string sign = n % 2 == 0 ? "-" : "";
    const std::string text = sign + digit(value, modulus);
    return {n < 3 ? text : "(" + text + ")", n % 2 == 0 ? -value : value};
  }
  const Index left_length = 1 + draw_index(random, n - 4);
  const auto [a, left] = draw_expression(random, left_length, modulus, operations);
  const auto [b, right] = draw_expression(random, n - left_length - 3, modulus, operations);
  const char operation = draw_symbol(random, operations);
  const Index value = operation == '*' ? left * right : operation == '+' ? left + right : left - right;
  return {"(" + a + operation + b + ")", value % modulus};
}

const std::string_view expressions =
    R"(An expression of n symbols is a digit d below `modulus` (n = 1), -d (2), (d) (3), (-d) (4), or else (a∘b): a
has k symbols, k any of 1 … n-4, b has n-k-3, and ∘ is any of the operations; k, a, b and ∘ are drawn in
this order.
)";

Exercises modular_arithmetic(const Residues& options) {
  return {
      .name = "modular_arithmetic",
      .summary = "the value of an expression with brackets, modulo 5 (Delétang et al. 2023)",
      .definition = fmt::format(
          R"({}The input is such an expression with the operations +, - and *; the answer is its value modulo `modulus`.)",
          expressions),
      .layout = Layout::tape,
      .alphabet = digits(options.modulus) + "+-*()",
      .draw = [modulus = options.modulus](Random& random, Index n) {
        const Expression one = draw_expression(random, n, modulus, "+-*");
        return Exercise{one.text, digit(one.value, modulus)};
      }};
}

Exercises solve_equation(const Residues& options) {
  return {
      .name = "solve_equation",
      .summary = "the unknown of an equation with brackets, modulo 5 (Delétang et al. 2023)",
      .definition = fmt::format(
          R"({}The input is such an expression of n - 2 symbols with the operations + and -, then = and its value modulo
`modulus`. One of its digits is replaced by x: of a symbol of the expression, any of them, the first digit
there or after it (after the last symbol comes the first). The answer is that digit. At lengths 1 and 2 the
input is zeros, and the answer 0.)",
          expressions),
      .layout = Layout::tape,
      .alphabet = digits(options.modulus) + "+-()x=",
      .draw = [modulus = options.modulus](Random& random, Index n) {
        if (n < 3) return Exercise{repeated(n, '0'), "0"};
        auto [text, value] = draw_expression(random, n - 2, modulus, "+-");
        auto unknown = static_cast<std::size_t>(draw_index(random, std::ssize(text)));
        while (text[unknown] < '0' || text[unknown] > '9') unknown = (unknown + 1) % text.size();
        const std::string answer = {text[unknown]};
        text[unknown] = 'x';
        return Exercise{text + '=' + digit(value, modulus), answer};
      }};
}

Exercises stack_manipulation(const NoOptions& /*none*/) {
  return {
      .name = "stack_manipulation",
      .summary = "a stack, from the top, after some pushes and pops (Delétang et al. 2023)",
      .definition =
          R"(The input is a stack of k bits, k any of 1 … n-1 (1 at length 1), from the bottom to the top, and then n-k
actions: 2 pops, 3 pushes a 0, 4 pushes a 1; to pop an empty stack does nothing. The answer is the stack
from the top to the bottom, and a 2; nothing is asked of the empty tokens after that. (In the paper they
are to be 0 in training, and do not count in the test.))",
      .layout = Layout::tape,
      .alphabet = digits(5),
      .answer_length = [](Index n) { return n + 1; },
      .draw =
          [](Random& random, Index n) {
            const Index height = n == 1 ? 1 : 1 + draw_index(random, n - 1);
            std::string stack = draw_symbols(random, height, "01");
            const std::string actions = draw_symbols(random, n - height, "234");
            const std::string prompt = stack + actions;
            for (const char action : actions) {
              if (action != '2') {
                stack += action == '3' ? '0' : '1';
              } else if (!stack.empty()) {
                stack.pop_back();
              }
            }
            return Exercise{prompt, reversed(stack) + '2'};
          }};
}

}  // namespace

std::vector<TaskEntry> expressions_tasks() {
  return {answer_task(modular_arithmetic_simple), answer_task(modular_arithmetic),
          answer_task(solve_equation), answer_task(stack_manipulation)};
}

}  // namespace ordinal::experiments
