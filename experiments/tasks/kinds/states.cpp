// flip_flop and permutations: the state of an automaton after each symbol (Liu et al. 2023, arXiv 2306.00946 and 2210.10749).
// Every prefix has an answer.
#include "experiments/tasks/answer_task.h"

namespace ordinal::experiments {
namespace {

struct Instructions {
  double ignore = 0.8;
  void visit(OptionVisitor& v) {
    v.number("ignore", ignore, between(0, 1), "probability of i between the first and the last instruction",
             Binds::training);
  }
};

char draw_instruction(Random& random, double ignore) {
  return random.uniform() < ignore ? 'i' : draw_symbol(random, "wr");
}

Exercises flip_flop(const Instructions& options) {
  return {
      .name = "flip_flop",
      .summary = "the bit that was written last, at each of the reads among n instructions (Liu et al. 2023)",
      .definition =
          R"(The prompt is n instructions, each followed by a bit: w (write), r (read) or i (ignore). The first is w and
the last is r, which are not drawn. For each of the others a uniform number is drawn: the instruction is i if it
is below `ignore`, else any of w and r, drawn next. The bit after r is the one after the last w, and is not
drawn; the bit after w and i is any, drawn before the next instruction. The answer is the bit after each r,
asked at the r; nothing is asked elsewhere (_). At length 1 the prompt is r0. The paper trains on 256
instructions with ignore = 0.8, and tests with 0.1 and 0.98, too.)",
      .layout = Layout::labels,
      .alphabet = "wri01",
      .prompt_length = [](Index n) { return 2 * n; },
      .draw =
          [ignore = options.ignore](Random& random, Index n) {
            Exercise one;
            char written = '0';
            for (Index i = 0; i < n; ++i) {
              const char instruction = i == n - 1 ? 'r' : i == 0 ? 'w' : draw_instruction(random, ignore);
              const char bit = instruction == 'r' ? written : draw_symbol(random, "01");
              if (instruction == 'w') written = bit;
              one.prompt += {instruction, bit};
              one.answer += {instruction == 'r' ? bit : blank, blank};
            }
            return one;
          }};
}

struct Elements {
  Index elements = 5;
  void visit(OptionVisitor& v) { v.integer("elements", elements, between(2, 7), "places and objects"); }
};

Exercises permutations(const Elements& options) {
  std::vector<std::pair<Index, Index>> swaps = {{0, 0}};  // of each move
  for (Index first = 0; first < options.elements; ++first)
    for (Index second = first + 1; second < options.elements; ++second) swaps.emplace_back(first, second);
  const std::string moves = "-" + letters(std::ssize(swaps) - 1);
  return {
      .name = "permutations",
      .summary =
          "where an object is after each of n swaps of places: words of the symmetric group (Liu et al. "
          "2023)",
      .definition =
          R"(There is an object at each place, 0 to `elements` - 1. The prompt is n symbols, each any of -, which changes
nothing, and a, b, c, …, which swap the objects at places 0 and 1, 0 and 2, …, 1 and 2, and so on. (Without -
the sign of the permutation would follow from the position alone.) The answer is, at each symbol, the place
of the object that began at place 0. The group of 5 and more elements is not solvable, and its word problem
is NC¹-complete (Merrill et al. 2024); with 2 elements the answer is the parity of each prefix.)",
      .layout = Layout::labels,
      .alphabet = moves + digits(options.elements),
      .draw = any_of(moves, [=](const std::string& prompt) {
        Index place = 0;
        std::string places;
        for (const char move : prompt) {
          const auto [first, second] = swaps[moves.find(move)];
          place = place == first ? second : place == second ? first : place;
          places += digit(place, 10);
        }
        return places;
      })};
}

}  // namespace

std::vector<TaskEntry> states_tasks() { return {answer_task(flip_flop), answer_task(permutations)}; }

}  // namespace ordinal::experiments
