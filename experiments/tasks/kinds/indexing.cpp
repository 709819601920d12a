// indirect_indexing: a letter is found by its content, and the answer by its distance from there (Gopalakrishnan et al. 2025).
#include <algorithm>

#include "experiments/tasks/answer_task.h"

namespace ordinal::experiments {
namespace {

constexpr Index largest_shift = 9;  // one digit

struct Indexed {
  Index symbols = 52;
  void visit(OptionVisitor& v) {
    v.integer("symbols", symbols, between(3, 52), "different letters: a to z, then A to Z");
  }
};

Exercises indirect_indexing(const Indexed& options) {
  return {
      .name = "indirect_indexing",
      .summary =
          "the letter that stands a given distance after or before another (Gopalakrishnan et al. 2025)",
      .definition =
          R"(The prompt is n different letters, any of `symbols`; then one of them, any; then a shift: + or - and a digit,
any from -9 to +9 for which there is a letter. The answer is the letter that stands so far after (+) or before (-)
the one that is named. Who finds it needs the content of one letter and the distance of another, apart.)",
      .alphabet = letters(options.symbols) + digits(10) + "+-",
      .prompt_length = [](Index n) { return n + 3; },
      .longest = options.symbols,
      .draw =
          [all = letters(options.symbols)](Random& random, Index n) {
            std::string rest = all;
            std::string text;
            for (Index i = 0; i < n; ++i) text += take_symbol(random, rest);
            const Index named = draw_index(random, n);
            const Index first = std::max<Index>(named - largest_shift, 0);
            const Index last = std::min(named + largest_shift, n - 1);
            const Index asked = first + draw_index(random, last - first + 1);
            const char sign = asked < named ? '-' : '+';
            const std::string shift = sign + digit(asked < named ? named - asked : asked - named, 10);
            return Exercise{text + text[static_cast<std::size_t>(named)] + shift,
                            {text[static_cast<std::size_t>(asked)]}};
          }};
}

}  // namespace

std::vector<TaskEntry> indexing_tasks() { return {answer_task(indirect_indexing)}; }

}  // namespace ordinal::experiments
