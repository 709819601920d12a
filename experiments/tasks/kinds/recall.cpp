// associative_recall and needle: pairs of a key and a value, then a key whose value is asked (Ba et al. 2016).
// In needle that key occurs once, at a chosen depth.
#include <algorithm>
#include <cmath>

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

// 0.55 · 20 is not more than 11, though it is in double; and a depth of less than that is the first pair, too.
Index place_at(double depth, Index n) {
  return std::max<Index>(0, static_cast<Index>(std::ceil(depth * static_cast<double>(n) - 1e-9)) - 1);
}

struct Needle final : Questions {
  Index keys = 16;
  Index values = 16;
  double depth = 0.0;  // 0: any
  void visit(OptionVisitor& v) {
    v.integer("keys", keys, between(2, 26), "different keys");
    v.integer("values", values, between(2, 26), "different values");
    v.number_or_auto("depth", depth, {.low = 0, .high = 1, .above_low = true},
                     "place of the pair that is asked: 1 is the last, near 0 the first; auto: any",
                     Binds::training);
  }

  std::string name() const override { return "needle"; }
  std::string summary() const override {
    return "the value of a key that occurs once among n pairs, at a chosen depth";
  }
  std::string alphabet() const override { return letters(values) + capitals(keys); }
  Index prompt_length(Index n) const override { return 2 * n + 1; }
  Exercise draw(Random& random, Index n) const override {
    std::string others = capitals(keys);
    const char asked = draw_symbol(random, others);
    std::erase(others, asked);
    const Index place = depth == 0.0 ? draw_index(random, n) : place_at(depth, n);
    std::string prompt;
    for (Index i = 0; i < n; ++i) {
      prompt += i == place ? asked : draw_symbol(random, others);
      prompt += draw_symbol(random, letters(values));
    }
    return {prompt + asked, prompt.substr(static_cast<std::size_t>(2 * place + 1), 1)};
  }
};

}  // namespace

TaskEntry associative_recall_task() {
  return answer_task<AssociativeRecall>(
      R"(First each key, A, B, …, is given a value, any of `values`. The prompt is n pairs of a key, any of `keys`,
and its value, so a key may occur several times; then the key of one of the n pairs, each as likely. The
answer is the value of that key.)");
}

TaskEntry needle_task() {
  return answer_task<Needle>(
      R"(First the key that is asked, any of `keys`, and, if `depth` is auto, its place, any of n; else that is
pair ⌈depth · n⌉ of 1 … n. The prompt is n pairs of a key and a value, any of `values`, and then the key
that is asked: at its place stands that key, everywhere else any of the other keys. The answer is the
value at its place.)");
}

}  // namespace ordinal::experiments
