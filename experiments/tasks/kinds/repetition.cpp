// copy_repeat and replace: answers of one letter, as long as the prompt, so that only its length must be
// transferred (Kazemnejad et al. 2023).
#include "experiments/tasks/answer_task.h"

namespace ordinal::experiments {
namespace {

std::string repeated(Index count, char letter) {
  return std::string(static_cast<std::size_t>(count), letter);
}

struct CopyRepeat : Exercises {
  Index symbols = 16;
  void visit(OptionVisitor& v) { v.integer("symbols", symbols, between(3, 26), "different letters"); }

  std::string name() const override { return "copy_repeat"; }
  std::string summary() const override {
    return "read one letter n times and write it n times (Kazemnejad et al. 2023)";
  }
  Layout layout() const override { return Layout::transcript; }
  std::string alphabet() const override { return letters(symbols); }
  Index answer_length(Index n) const override { return n; }
  Exercise draw(Random& random, Index n) const override {
    const std::string text = repeated(n, draw_symbol(random, alphabet()));
    return {text, text};
  }
};

struct Replace final : CopyRepeat {
  std::string name() const override { return "replace"; }
  std::string summary() const override {
    return "read one letter n times and write another one n times (Kazemnejad et al. 2023)";
  }
  std::string alphabet() const override { return letters(symbols) + ">"; }
  Index prompt_length(Index n) const override { return n + 2; }
  Exercise draw(Random& random, Index n) const override {
    std::string others = letters(symbols);
    const char old_letter = draw_symbol(random, others);
    std::erase(others, old_letter);
    const char new_letter = draw_symbol(random, others);
    return {repeated(n, old_letter) + '>' + new_letter, repeated(n, new_letter)};
  }
};

}  // namespace

TaskEntry copy_repeat_task() {
  return answer_task<CopyRepeat>(
      R"(The prompt is n times the same letter, any of `symbols`; the answer is the same letters.)");
}

TaskEntry replace_task() {
  return answer_task<Replace>(
      R"(The prompt is n times the same letter, any of `symbols`, then > and another letter, any of the rest in
their order; the answer is n times that letter.)");
}

}  // namespace ordinal::experiments
