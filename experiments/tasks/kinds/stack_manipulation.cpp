// stack_manipulation: what is on a stack after pushing and popping. An encoder task of Delétang et al. 2023 and Ruoss
// et al. 2023.
#include "experiments/tasks/answer_task.h"

namespace ordinal::experiments {
namespace {

constexpr char pop = '2';
constexpr char push_zero = '3';  // and 4 pushes 1

struct StackManipulation final : Exercises {
  std::string name() const override { return "stack_manipulation"; }
  std::string summary() const override {
    return "a stack, from the top, after some pushes and pops (Delétang et al. 2023)";
  }
  Layout layout() const override { return Layout::tape; }
  std::string alphabet() const override { return "01234"; }
  Index answer_length(Index n) const override { return n + 1; }
  Exercise draw(Random& random, Index n) const override {
    const Index height = n == 1 ? 1 : 1 + draw_index(random, n - 1);
    std::string stack = draw_symbols(random, height, "01");
    const std::string actions = draw_symbols(random, n - height, "234");
    const std::string prompt = stack + actions;
    for (const char action : actions) {
      if (action != pop) {
        stack += static_cast<char>('0' + (action - push_zero));
      } else if (!stack.empty()) {
        stack.pop_back();
      }
    }
    return {prompt, std::string(stack.rbegin(), stack.rend()) + '2'};
  }
};

}  // namespace

TaskEntry stack_manipulation_task() {
  return answer_task<StackManipulation>(
      R"(The input is a stack of k bits, k any of 1 … n-1 (1 at length 1), from the bottom to the top, and then n-k
actions: 2 pops, 3 pushes a 0, 4 pushes a 1; to pop an empty stack does nothing. The answer is the stack
from the top to the bottom, and a 2; nothing is asked of the empty tokens after that. (In the paper they
are to be 0 in training, and do not count in the test.))");
}

}  // namespace ordinal::experiments
