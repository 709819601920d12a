// associative_recall: pairs of a key and a value, then a key whose value is asked (Ba et al. 2016).
#include "experiments/tasks/answer_task.h"

namespace ordinal::experiments {
namespace {

struct AssociativeRecall : Questions {
  Index keys = 16;
  Index values = 16;
  void visit(OptionVisitor& v) {
    v.integer("keys", keys, between(2, 26), "different keys");
    v.integer("values", values, between(2, 26), "different values");
  }

  std::string name() const override { return "associative_recall"; }
  std::string summary() const override {
    return "n pairs of a key and its value, then a key whose value is asked";
  }
  std::string alphabet() const override { return letters(values) + capitals(keys); }
  Index prompt_length(Index n) const override { return 2 * n + 1; }
  Exercise draw(Random& random, Index n) const override {
    const std::string value_of = draw_symbols(random, keys, letters(values));
    std::string prompt;
    for (Index i = 0; i < n; ++i) {
      const auto key = static_cast<std::size_t>(draw_index(random, keys));
      prompt += capitals(keys)[key];
      prompt += value_of[key];
    }
    const auto asked = static_cast<std::size_t>(2 * draw_index(random, n));
    return {prompt + prompt[asked], prompt.substr(asked + 1, 1)};
  }
};

}  // namespace

TaskEntry associative_recall_task() {
  return answer_task<AssociativeRecall>(
      R"(First each key, A, B, …, is given a value, any of `values`. The prompt is n pairs of a key, any of `keys`,
and its value, so a key may occur several times; then the key of one of the n pairs, each as likely. The
answer is the value of that key.)");
}

}  // namespace ordinal::experiments
