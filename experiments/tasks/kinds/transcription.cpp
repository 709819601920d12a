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
  // Each letter and its copy share a number: 1 for the separator, and 2, 3, … from the first letter.
  std::vector<Index> coupled(const Exercise& exercise) const override {
    std::vector<Index> positions;
    for (Index i = 0; i < std::ssize(exercise.prompt); ++i) positions.push_back(i + 2);
    positions.push_back(1);
    for (Index i = 0; i < std::ssize(exercise.answer); ++i) positions.push_back(i + 2);
    return positions;
  }
};

struct Reverse final : Copy {
  std::string name() const override { return "reverse"; }
  std::string summary() const override { return "read n letters and write them from the last to the first"; }
  Exercise draw(Random& random, Index n) const override {
    const std::string text = draw_symbols(random, n, alphabet());
    return {text, {text.rbegin(), text.rend()}};
  }
  // The same, with the number after that of the last letter for the separator.
  std::vector<Index> coupled(const Exercise& exercise) const override {
    const Index n = std::ssize(exercise.prompt);
    std::vector<Index> positions;
    for (Index i = 0; i <= n; ++i) positions.push_back(i + 2);
    for (Index i = 0; i < std::ssize(exercise.answer); ++i) positions.push_back(n + 1 - i);
    return positions;
  }
};

}  // namespace

TaskEntry copy_task() {
  return answer_task<Copy>(
      R"(The prompt is n letters, each any of `symbols`; the answer is the same letters. With
positions = task, a letter and its copy share a number c: 2, 3, … from the first letter, and 1 for the separator.)");
}

TaskEntry reverse_task() {
  return answer_task<Reverse>(
      R"(The prompt is n letters, each any of `symbols`; the answer is the same letters from the last to the
first. With positions = task, a letter and its copy share a number c: 2, 3, … n + 1 from the first letter of the
prompt, and n + 2 for the separator.)");
}

}  // namespace ordinal::experiments
