// sort: write the letters of the prompt in alphabetical order (Kazemnejad et al. 2023).
#include <algorithm>

#include "experiments/tasks/answer_task.h"

namespace ordinal::experiments {
namespace {

struct Sort final : Exercises {
  Index symbols = 16;
  void visit(OptionVisitor& v) { v.integer("symbols", symbols, between(3, 26), "different letters"); }

  std::string name() const override { return "sort"; }
  std::string summary() const override {
    return "read n letters and write them in alphabetical order (Kazemnejad et al. 2023)";
  }
  Layout layout() const override { return Layout::transcript; }
  std::string alphabet() const override { return letters(symbols); }
  Index answer_length(Index n) const override { return n; }
  Exercise draw(Random& random, Index n) const override {
    const std::string text = draw_symbols(random, n, alphabet());
    std::string sorted = text;
    std::ranges::sort(sorted);
    return {text, sorted};
  }
};

}  // namespace

TaskEntry sort_task() {
  return answer_task<Sort>(
      R"(The prompt is n letters, each any of `symbols`; the answer is the same letters in alphabetical order.)");
}

}  // namespace ordinal::experiments
