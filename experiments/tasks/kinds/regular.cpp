// even_pairs, parity_check and cycle_navigation: what finite automata can do, with answers of one symbol. Encoder tasks of
// Delétang et al. 2023 and Ruoss et al. 2023.
#include "experiments/tasks/answer_task.h"

namespace ordinal::experiments {
namespace {

Exercises even_pairs(const NoOptions& /*none*/) {
  return {
      .name = "even_pairs",
      .summary = "whether n bits have an odd number of pairs 01 and 10 (Delétang et al. 2023)",
      .definition =
          R"(The input is n bits. The answer is 1 if the number of places where a bit differs from the next is odd,
else 0; that is, whether the first bit differs from the last.)",
      .layout = Layout::tape,
      .alphabet = digits(2),
      .draw = any_of(digits(2), [](const std::string& bits) {
        return std::string(bits.front() == bits.back() ? "0" : "1");
      })};
}

Exercises parity_check(const NoOptions& /*none*/) {
  return {.name = "parity_check",
          .summary = "whether the number of ones among n bits is odd (Delétang et al. 2023)",
          .definition = R"(The input is n bits; the answer is 1 if the number of ones is odd, else 0.)",
          .layout = Layout::tape,
          .alphabet = digits(2),
          .draw = any_of(digits(2), [](const std::string& bits) { return digit(sum_of_digits(bits), 2); })};
}

Exercises cycle_navigation(const NoOptions& /*none*/) {
  return {
      .name = "cycle_navigation",
      .summary = "the place on a circle of five after n steps back, none or forward (Delétang et al. 2023)",
      .definition =
          R"(The input is n symbols, each any of 0, 1 and 2, which are steps of -1, 0 and 1; the answer is their sum
modulo 5.)",
      .layout = Layout::tape,
      .alphabet = digits(5),
      .draw = any_of(digits(3), [](const std::string& steps) {
        return digit(sum_of_digits(steps) - std::ssize(steps), 5);
      })};
}

}  // namespace

std::vector<TaskEntry> regular_tasks() {
  return {answer_task(even_pairs), answer_task(parity_check), answer_task(cycle_navigation)};
}

}  // namespace ordinal::experiments
