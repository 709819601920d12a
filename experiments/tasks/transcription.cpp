// copy and reverse: read n letters and write them again, in the same or in reverse order (Kazemnejad et
// al. 2023).
#include "experiments/tasks/answer_task.h"

namespace ordinal::experiments {
namespace {

struct Copy : Exercises {
  Index symbols = 16;
  void visit(OptionVisitor& v) { v.integer("symbols", symbols, between(3, 26), "different letters"); }

  std::string name() const override { return "copy"; }
  std::string summary() const override {
    return "read n letters and write them again (Kazemnejad et al. 2023)";
  }
  Layout layout() const override { return Layout::transcript; }
  std::string alphabet() const override { return letters(symbols); }
  Index answer_length(Index n) const override { return n; }
  Exercise draw(Random& random, Index n) const override {
    const std::string text = draw_symbols(random, n, alphabet());
    return {text, text};
  }
};

struct Reverse final : Copy {
  std::string name() const override { return "reverse"; }
  std::string summary() const override { return "read n letters and write them from the last to the first"; }
  Exercise draw(Random& random, Index n) const override {
    const std::string text = draw_symbols(random, n, alphabet());
    return {text, {text.rbegin(), text.rend()}};
  }
};

}  // namespace

TaskEntry copy_task() {
  return answer_task<Copy>(
      R"(The prompt is n letters, each any of `symbols`; the answer is the same letters.)");
}

TaskEntry reverse_task() {
  return answer_task<Reverse>(
      R"(The prompt is n letters, each any of `symbols`; the answer is the same letters from the last to the first.)");
}

}  // namespace ordinal::experiments
