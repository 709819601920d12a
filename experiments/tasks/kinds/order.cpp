// order: "the cat ate the mouse" or "the mouse ate the cat". Which of two names came first, at any distance.
#include <algorithm>

#include "experiments/tasks/answer_task.h"

namespace ordinal::experiments {
namespace {

struct Order final : Questions {
  Index names = 8;
  Index words = 8;
  void visit(OptionVisitor& v) {
    v.integer("names", names, between(2, 26), "different names");
    v.integer("words", words, between(1, 26), "different words around them");
  }

  std::string name() const override { return "order"; }
  std::string summary() const override { return "which of two names came first among n words"; }
  std::string alphabet() const override { return letters(words) + capitals(names); }
  Index prompt_length(Index n) const override { return n + 2; }
  Exercise draw(Random& random, Index n) const override {
    std::string others = capitals(names);
    const char cat = draw_symbol(random, others);
    std::erase(others, cat);
    const char mouse = draw_symbol(random, others);
    const Index cat_at = draw_index(random, n + 2);
    Index mouse_at = draw_index(random, n + 1);
    if (mouse_at >= cat_at) ++mouse_at;
    std::string prompt;
    for (Index i = 0; i < n + 2; ++i) {
      if (i == cat_at) {
        prompt += cat;
      } else {
        prompt += i == mouse_at ? mouse : draw_symbol(random, letters(words));
      }
    }
    return {prompt, {cat_at < mouse_at ? cat : mouse}};
  }
};

}  // namespace

TaskEntry order_task() {
  return answer_task<Order>(
      R"(Drawn are two different names (the second any of the rest), the place of the first, any of n + 2, and that
of the second, any of the rest. The prompt is n + 2 symbols: the names at their places, and any words, a,
b, …, everywhere else. The answer is the name that stands first.)");
}

}  // namespace ordinal::experiments
